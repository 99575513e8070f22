"""A NumPy-compatible array library for AMD GPUs."""
