"""Tables of the built-in kernels: one module a family, each with a `programs()` generator."""

# First part of a program's name -> the module of its table.
FAMILIES = {
    "reduce": "reductions",
    "scan": "scans",
    "fold": "folds",
    "at": "at",
    "ufunc": "ufuncs",
    "cast": "casts",
    "where": "where",
    "transpose": "transpose",
    "index": "indexing",
    "sort": "sorting",
    "radix": "radix",
    "matmul": "matmul",
}
