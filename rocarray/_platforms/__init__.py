"""Implementations of ROCm's C interface for machines without an AMD GPU."""
