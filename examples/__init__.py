"""NumPy programs that run on rocarray, unchanged but for the import."""
