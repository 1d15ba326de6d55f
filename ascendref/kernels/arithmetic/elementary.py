"""temporary"""
from .registers import Register
def _reduced(x):
    shifted = x.fma(float.fromhex("0x1.715476p+0"), 1.5*2**23)
    n = shifted - 1.5*2**23
    high = (-n).fma(float.fromhex("0x1.62e43p-1"), x)
    lo = float.fromhex("-0x1.05c61p-29")
    r = (-n).fma(lo, high)
    lost = (-n).fma(lo, high - r)
    p = x.lift(float.fromhex("0x1.a12528p-13"))
    for c in ("0x1.6d4362p-10","0x1.1110ep-7","0x1.5554e8p-5","0x1.555556p-3","0x1.0p-1"):
        p = p.fma(r, float.fromhex(c))
    return shifted.bits() - 0x4B400000, r, (r*r).fma(p, lost)
def power(n, less=0): return ((n + (127 - less)) << 23).register()
def exp(x):
    x = x.at_most(89.0).at_least(-104.0)
    n, r, small = _reduced(x)
    total = 1.0 + r
    first = n >> 1
    return ((total + (small + (r - (total - 1.0)))) * power(first)) * power(n - first)
def over_one_plus_exp(numerator, x):
    far = x > 88.72283172607422
    near = (x > 193.0).select(193.0, x)
    n, r, small = _reduced((near < -60.0).select(-60.0, near))
    pw = power(n, 1)
    inverse = ((127+126) << 23) - pw.bits()
    lost = inverse.below((128-24) << 23)
    small = small + lost.select(inverse.register(), x.lift(0.0))
    half_one = far.select(x * 2.0**-104, x.lift(0.5))
    sunk = (pw.bits() - (152 << 23)).register()
    pw = far.select(sunk, pw)
    half = pw.fma(r + small, half_one + pw)
    scale = far.select(x.lift(2.0**-76), x.lift(1.0))
    return scale * (scale * numerator / (half + half))
def expm1(x): raise NotImplementedError
log=log1p=tanh=normal_cdf=normal_pdf=softplus=expm1
