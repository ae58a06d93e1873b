"""Run untrusted code and talk to it in values: tensors, numbers and text, never objects."""
