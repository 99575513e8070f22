"""The universal functions: one row an operation."""

from dataclasses import dataclass

from rocarray._kernels.programs import TYPE_NAMES, Program, identifier

BOOL = "?"
INTS = "bBhHiIlL"
FLOATS = "efdE"
COMPLEX = "FD"
REALS = INTS + FLOATS
NUMBERS = REALS + COMPLEX
ALL = BOOL + NUMBERS


@dataclass(frozen=True)
class Ufunc:
    """One operation: its functor in `device/functors/`, its type loops, its identity."""

    name: str
    functor: str
    header: str
    nin: int
    nout: int
    loops: tuple
    doc: str
    identity: object = None
    reorderable: bool = False


def same(chars, nin, nout=1):
    """Loops whose operands and results have one type."""
    return tuple(f"{c * nin}->{c * nout}" for c in chars)


def to_bool(chars, nin):
    """Loops that answer bool."""
    return tuple(f"{c * nin}->?" for c in chars)


def unary(name, functor, header, chars, doc):
    return Ufunc(name, functor, header, 1, 1, same(chars, 1), doc)


def binary(name, functor, header, chars, doc, identity=None, reorderable=False):
    return Ufunc(name, functor, header, 2, 1, same(chars, 2), doc, identity, reorderable)


def test(name, functor, chars, doc):
    return Ufunc(name, functor, "comparison", 1, 1, to_bool(chars, 1), doc)


def compare(name, functor, doc):
    return Ufunc(name, functor, "comparison", 2, 1, (*to_bool(ALL, 2), "lL->?", "Ll->?"), doc)


def logical(name, functor, doc, identity):
    return Ufunc(name, functor, "comparison", 2, 1, to_bool(ALL, 2), doc, identity, True)


def function(name, functor, doc):
    return unary(name, functor, "transcendental", FLOATS + COMPLEX, doc)


_ARITHMETIC, _FLOATING, _BITWISE, _TRANSCENDENTAL = (
    "arithmetic",
    "floating",
    "bitwise",
    "transcendental",
)

UFUNCS = [
    binary("add", "Add", _ARITHMETIC, ALL, "The sum.", 0, True),
    binary("subtract", "Subtract", _ARITHMETIC, NUMBERS, "The difference."),
    binary("multiply", "Multiply", _ARITHMETIC, ALL, "The product.", 1, True),
    binary("divide", "Divide", _ARITHMETIC, FLOATS + COMPLEX, "The quotient."),
    binary("floor_divide", "FloorDivide", _ARITHMETIC, REALS, "The quotient, rounded down."),
    binary("remainder", "Remainder", _ARITHMETIC, REALS, "The remainder, signed as the divisor."),
    Ufunc("divmod", "Divmod", _ARITHMETIC, 2, 2, same(REALS, 2, 2), "Quotient and remainder."),
    binary("fmod", "Fmod", _ARITHMETIC, REALS, "The remainder, signed as the dividend."),
    binary("power", "Power", _TRANSCENDENTAL, NUMBERS, "The first operand to the second's power."),
    binary("float_power", "Power", _TRANSCENDENTAL, "dD", "The power, in float64 at least."),
    unary("negative", "Negative", _ARITHMETIC, NUMBERS, "The negated value."),
    unary("positive", "Positive", _ARITHMETIC, NUMBERS, "The value itself (a copy)."),
    Ufunc(
        "absolute",
        "Absolute",
        _ARITHMETIC,
        1,
        1,
        (*same(BOOL + REALS, 1), "F->f", "D->d"),
        "The absolute value; of complex numbers the modulus.",
    ),
    unary("fabs", "Fabs", _ARITHMETIC, FLOATS, "The absolute value of floats."),
    unary("square", "Square", _ARITHMETIC, NUMBERS, "The value times itself."),
    unary("reciprocal", "Reciprocal", _ARITHMETIC, NUMBERS, "One over the value."),
    unary("sign", "Sign", _ARITHMETIC, NUMBERS, "-1, 0 or 1; of complex numbers x / |x|."),
    unary("conjugate", "Conjugate", _ARITHMETIC, NUMBERS, "The complex conjugate."),
    binary("heaviside", "Heaviside", _ARITHMETIC, FLOATS, "0, the second operand at 0, or 1."),
    binary("maximum", "Maximum", _ARITHMETIC, ALL, "The larger operand; NaN wins.", None, True),
    binary("minimum", "Minimum", _ARITHMETIC, ALL, "The smaller operand; NaN wins.", None, True),
    binary("fmax", "Fmax", _ARITHMETIC, ALL, "The larger operand; NaN loses.", None, True),
    binary("fmin", "Fmin", _ARITHMETIC, ALL, "The smaller operand; NaN loses.", None, True),
    binary("gcd", "Gcd", _ARITHMETIC, INTS, "The greatest common divisor.", 0, True),
    binary("lcm", "Lcm", _ARITHMETIC, INTS, "The least common multiple.", None, True),
    compare("less", "Less", "Whether the first operand is smaller."),
    compare("less_equal", "LessEqual", "Whether the first operand is not larger."),
    compare("greater", "Greater", "Whether the first operand is larger."),
    compare("greater_equal", "GreaterEqual", "Whether the first operand is not smaller."),
    compare("equal", "Equal", "Whether the operands are equal."),
    compare("not_equal", "NotEqual", "Whether the operands differ."),
    logical("logical_and", "LogicalAnd", "Whether both operands are true.", True),
    logical("logical_or", "LogicalOr", "Whether one operand is true.", False),
    logical("logical_xor", "LogicalXor", "Whether exactly one operand is true.", False),
    test("logical_not", "LogicalNot", ALL, "Whether the value is false."),
    test("isnan", "IsNan", ALL, "Whether the value is NaN."),
    test("isinf", "IsInf", ALL, "Whether the value is infinite."),
    test("isfinite", "IsFinite", ALL, "Whether the value is neither infinite nor NaN."),
    test("signbit", "Signbit", FLOATS, "Whether the sign bit is set."),
    binary("bitwise_and", "BitwiseAnd", _BITWISE, BOOL + INTS, "The bits set in both.", -1, True),
    binary("bitwise_or", "BitwiseOr", _BITWISE, BOOL + INTS, "The bits set in one.", 0, True),
    binary("bitwise_xor", "BitwiseXor", _BITWISE, BOOL + INTS, "The bits that differ.", 0, True),
    unary("invert", "Invert", _BITWISE, BOOL + INTS, "All bits flipped."),
    binary("left_shift", "LeftShift", _BITWISE, INTS, "Bits shifted left."),
    binary("right_shift", "RightShift", _BITWISE, INTS, "Bits shifted right; the sign stays."),
    Ufunc(
        "bitwise_count",
        "BitwiseCount",
        _BITWISE,
        1,
        1,
        tuple(f"{c}->B" for c in INTS),
        "The number of bits set in the absolute value.",
    ),
    unary("floor", "Floor", _FLOATING, BOOL + REALS, "Rounded down."),
    unary("ceil", "Ceil", _FLOATING, BOOL + REALS, "Rounded up."),
    unary("trunc", "Trunc", _FLOATING, BOOL + REALS, "Rounded towards zero."),
    unary("rint", "Rint", _FLOATING, FLOATS + COMPLEX, "Rounded to the nearest, halves to even."),
    binary("copysign", "Copysign", _FLOATING, FLOATS, "The first operand with the second's sign."),
    binary("nextafter", "Nextafter", _FLOATING, FLOATS, "The next number towards the second."),
    unary("spacing", "Spacing", _FLOATING, FLOATS, "The distance to the next number."),
    Ufunc(
        "frexp",
        "Frexp",
        _FLOATING,
        1,
        2,
        tuple(f"{c}->{c}i" for c in FLOATS),
        "Fraction in [0.5, 1) and power of two.",
    ),
    Ufunc(
        "ldexp",
        "Ldexp",
        _FLOATING,
        2,
        1,
        tuple(f"{c}{e}->{c}" for c in FLOATS for e in "il"),
        "The first operand times two to the second's power.",
    ),
    Ufunc("modf", "Modf", _FLOATING, 1, 2, same(FLOATS, 1, 2), "Fractional and whole part."),
    function("sqrt", "Sqrt", "The square root."),
    unary("cbrt", "Cbrt", _TRANSCENDENTAL, FLOATS, "The cube root."),
    function("exp", "Exp", "e to the power."),
    function("exp2", "Exp2", "Two to the power."),
    function("expm1", "Expm1", "exp(x) - 1, accurate near 0."),
    function("log", "Log", "The natural logarithm."),
    function("log2", "Log2", "The logarithm to base 2."),
    function("log10", "Log10", "The logarithm to base 10."),
    function("log1p", "Log1p", "log(1 + x), accurate near 0."),
    binary(
        "logaddexp",
        "Logaddexp",
        _TRANSCENDENTAL,
        FLOATS,
        "log(exp(x) + exp(y)).",
        float("-inf"),
        True,
    ),
    binary(
        "logaddexp2",
        "Logaddexp2",
        _TRANSCENDENTAL,
        FLOATS,
        "log2(2**x + 2**y).",
        float("-inf"),
        True,
    ),
    function("sin", "Sin", "The sine (radians)."),
    function("cos", "Cos", "The cosine (radians)."),
    function("tan", "Tan", "The tangent (radians)."),
    function("arcsin", "Arcsin", "The inverse sine (radians)."),
    function("arccos", "Arccos", "The inverse cosine (radians)."),
    function("arctan", "Arctan", "The inverse tangent (radians)."),
    binary("arctan2", "Arctan2", _TRANSCENDENTAL, FLOATS, "The angle of (second, first), radians."),
    function("sinh", "Sinh", "The hyperbolic sine."),
    function("cosh", "Cosh", "The hyperbolic cosine."),
    function("tanh", "Tanh", "The hyperbolic tangent."),
    function("arcsinh", "Arcsinh", "The inverse hyperbolic sine."),
    function("arccosh", "Arccosh", "The inverse hyperbolic cosine."),
    function("arctanh", "Arctanh", "The inverse hyperbolic tangent."),
    binary("hypot", "Hypot", _TRANSCENDENTAL, FLOATS, "sqrt(x**2 + y**2).", 0, True),
    unary("deg2rad", "Deg2rad", _TRANSCENDENTAL, FLOATS, "Degrees to radians."),
    unary("rad2deg", "Rad2deg", _TRANSCENDENTAL, FLOATS, "Radians to degrees."),
    unary("radians", "Deg2rad", _TRANSCENDENTAL, FLOATS, "Degrees to radians."),
    unary("degrees", "Rad2deg", _TRANSCENDENTAL, FLOATS, "Radians to degrees."),
]


def cpp_type(char):
    """The element type, qualified."""
    name = TYPE_NAMES[char]
    return f"rocarray::{name}" if char in "eEFD" else name


def instantiation(stem, functor, ins, outs):
    """(kernel name, macro line) of one loop."""
    name = f"{stem}__{identifier(ins)}_{identifier(outs)}"
    types = ", ".join(cpp_type(c) for c in ins + outs)
    return name, (
        f"ROCARRAY_ELEMENTWISE({name}, rocarray::{functor}, {len(ins)}, {len(outs)}, {types})"
    )


def functor_of(row, char):
    """The functor of a ufunc's loop whose first operand has type `char`, for scalar code.

    The bits of a bool are not inverted but its truth.
    """
    return "LogicalNot" if (row.name, char) == ("invert", BOOL) else row.functor


def ufunc_loop(row, loop):
    """(kernel name, macro line) of one of a ufunc's loops.

    "not" of bools reads them as bytes: compilers leave a loop over !x of bools scalar.
    """
    if loop == "?->?" and row.name in ("invert", "logical_not"):
        name = f"{row.name}__p_p"
        return name, f"ROCARRAY_ELEMENTWISE({name}, rocarray::LogicalNot, 1, 1, uint8_t, bool)"
    return instantiation(row.name, row.functor, *loop.split("->"))


def programs():
    """One program per ufunc."""
    for row in UFUNCS:
        lines = [ufunc_loop(row, loop) for loop in row.loops]
        yield Program(
            f"ufunc/{row.name}",
            ("elementwise.hpp", f"functors/{row.header}.hpp"),
            dict(lines),
        )
