"""How far results may be from NumPy's, in units of the last place; what is absent must be equal.

NumPy's own transcendental functions are accurate to 4 units.
"""

ULPS = {
    "arccos": 4, "arccosh": 4, "arcsin": 4, "arcsinh": 4, "arctan": 4, "arctan2": 4, "arctanh": 4,
    "cbrt": 4, "cos": 4, "cosh": 4, "deg2rad": 1, "degrees": 1, "exp": 4, "exp2": 4, "expm1": 4,
    "float_power": 4, "hypot": 1, "log": 4, "log10": 4, "log1p": 4, "log2": 4, "logaddexp": 4,
    "logaddexp2": 4, "power": 4, "rad2deg": 1, "radians": 1, "sin": 4, "sinh": 4, "tan": 4,
    "tanh": 4,
}  # fmt: skip

# Of +0 and -0, which are equal, either may be the larger one.
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin"}

# Sums of an operand and a function's value, which may cancel: NumPy's own error is then some units
# of the operand's last place, not of the result's.
CANCELLING = {"logaddexp", "logaddexp2"}
