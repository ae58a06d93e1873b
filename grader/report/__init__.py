"""Show a score report: one module for each format, each a pure function of the report."""
