"""By mpmath with 60 digits, each rounded once."""

import mpmath
import numpy as np
from reference import save

mpmath.mp.dps = 60
generator = np.random.default_rng(27)
n = 97
f = mpmath

functions = {
    "sin": lambda x, y: f.sin(x), "cos": lambda x, y: f.cos(x), "tan": lambda x, y: f.tan(x),
    "asin": lambda x, y: f.asin(y), "acos": lambda x, y: f.acos(y), "atan": lambda x, y: f.atan(x), "atan2": f.atan2,
    "exp": lambda x, y: f.exp(x), "exp2": lambda x, y: f.mpf(2) ** x, "exp10": lambda x, y: f.mpf(10) ** x,
    "expm1": lambda x, y: f.expm1(y), "log": lambda x, y: f.log(abs(x)), "log2": lambda x, y: f.log(abs(x), 2),
    "log1p": lambda x, y: f.log1p(abs(y)), "pow": lambda x, y: abs(x) ** y,
    "sinh": lambda x, y: f.sinh(x), "cosh": lambda x, y: f.cosh(x), "tanh": lambda x, y: f.tanh(x),
    "asinh": lambda x, y: f.asinh(x), "erf": lambda x, y: f.erf(y), "erfc": lambda x, y: f.erfc(y),
    "cbrt": lambda x, y: f.sign(x) * f.cbrt(abs(x)), "hypot": f.hypot, "rsqrt": lambda x, y: 1 / f.sqrt(abs(x)),
    "cdf": lambda x, y: f.ncdf(y), "sinpi": lambda x, y: f.sinpi(y), "gamma": lambda x, y: f.gamma(x), "j0": lambda x, y: f.j0(y),
}


def rows(names, x, y, dtype, factor):
    """A row a name; `sin_far` is the sine of the product with a large factor, rounded as the kernel rounds it."""
    def row(name):
        if name == "sin_far":
            return [f.sin(f.mpf(float(v * dtype(factor)))) for v in x]
        return [functions[name](f.mpf(float(v)), f.mpf(float(w))) for v, w in zip(x, y)]

    return np.array([[dtype(mpmath.nstr(value, 30)) for value in row(name)] for name in names], dtype)


def arguments(dtype):
    """The first argument in -9 to 9, the second in -1 to 1."""
    return generator.uniform(-9, 9, n).astype(dtype), generator.uniform(-1, 1, n).astype(dtype)


SINGLES = "sin cos sin_far tan asin acos atan atan2 exp exp2 exp10 expm1 log log2 log1p pow sinh cosh tanh asinh erf erfc cbrt hypot rsqrt cdf sinpi gamma j0"
DOUBLES = "sin cos sin_far tan asin atan2 exp exp2 expm1 log log2 log1p pow sinh tanh erf cbrt hypot rsqrt gamma"
x, y = arguments(np.float32)
wide_x, wide_y = arguments(np.float64)
save(x=x, y=y, singles=rows(SINGLES.split(), x, y, np.float32, 1e6))
save(wide_x=wide_x, wide_y=wide_y, doubles=rows(DOUBLES.split(), wide_x, wide_y, np.float64, 1e12))
