"""Tables of the built-in kernels: one module a family, each with a `programs()` generator."""

# First part of a program's name -> the module of its table.
FAMILIES = {
    "elementwise": "ufuncs",
}
