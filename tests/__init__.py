"""The kit's own tests; `hidden/` holds the suites that the kit grades with."""
