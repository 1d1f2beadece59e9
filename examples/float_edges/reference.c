// The host's IEEE 754 arithmetic in its four rounding modes. Minimum and maximum take -0 below +0 and a number before a NaN.
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static float single_nan(float x) {
    uint32_t bits = 0x7fffffff;
    if (x != x)
        memcpy(&x, &bits, sizeof x);
    return x;
}

static double double_nan(double x) {
    uint64_t bits = 0x7fffffffffffffff;
    if (x != x)
        memcpy(&x, &bits, sizeof x);
    return x;
}

// The 32-bit integer that cvt gives: towards zero, saturated; for a NaN 0 from f32 and the least integer from f64.
static int32_t integer(double x, int32_t nan) {
    return x != x ? nan : x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}

#define FOUR(result) \
    for (int mode = 0; mode < 4; mode++) { \
        fesetround(modes[mode]); \
        put(result); \
    } \
    fesetround(FE_TONEAREST)

#define MINIMUM(x, y) (x != x ? y : y != y ? x : x < y || (x == y && signbit(x)) ? x : y)
#define MAXIMUM(x, y) (x != x ? y : y != y ? x : x > y || (x == y && !signbit(x)) ? x : y)
#define COMPARISONS \
    put(!!isfinite(x)), put(!!signbit(x)), put(x < y), put(x <= y), put(x == y), put(x != y), put(isunordered(x, y))

void singles(const float *a, const float *b, const float *c, float *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        volatile float x = a[i], y = b[i], z = c[i];
        float *to = out + i;
#define put(value) (*to = single_nan(value), to += n)
        FOUR(x + y);
        FOUR(x - y);
        FOUR(x * y);
        FOUR(x / y);
        FOUR(sqrtf(x));
        FOUR(1.0f / x);
        FOUR(fmaf(x, y, z));
        put(MINIMUM(x, y)), put(MAXIMUM(x, y)), put(fabsf(x)), put(-x), put(copysignf(x, y)), put(!(x > 0) ? 0.0f : x < 1 ? x : 1.0f);
        put(floorf(x)), put(ceilf(x)), put(truncf(x)), put(rintf(x)), put(roundf(x));
        put(fmodf(x, y)), put(fdimf(x, y)), put(nextafterf(x, y)), put(ldexpf(x, integer(y, 0) % 300));
        COMPARISONS;
#undef put
    }
}

void doubles(const double *a, const double *b, const double *c, double *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        volatile double x = a[i], y = b[i], z = c[i];
        double *to = out + i;
#define put(value) (*to = double_nan(value), to += n)
        FOUR(x + y);
        FOUR(x - y);
        FOUR(x * y);
        FOUR(x / y);
        FOUR(sqrt(x));
        FOUR(1.0 / x);
        FOUR(fma(x, y, z));
        put(MINIMUM(x, y)), put(MAXIMUM(x, y)), put(fabs(x)), put(-x), put(copysign(x, y));
        put(floor(x)), put(ceil(x)), put(trunc(x)), put(rint(x)), put(round(x));
        put(fmod(x, y)), put(fdim(x, y)), put(nextafter(x, y)), put(ldexp(x, integer(y, INT32_MIN) % 2000));
        COMPARISONS;
#undef put
    }
}
