"""Turn what people hand in into a ``Submission``, safely: nothing is run, unpacked to disk or followed."""
