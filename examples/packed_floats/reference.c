// The host's arithmetic in its four rounding modes.
#include <fenv.h>
#include <math.h>
#include <stdint.h>

static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

void packed_floats(const float *a, const float *b, const float *c, float *out, int64_t n) {
    for (int mode = 0; mode < 4; mode++) {
        fesetround(modes[mode]);
        for (int64_t i = 0; i < n; i++) {
            volatile float x = a[i], y = b[i], z = c[i];
            out[mode * n + i] = x + y;
            out[(4 + mode) * n + i] = x * y;
            out[(8 + mode) * n + i] = fmaf(x, y, z);
        }
    }
    fesetround(FE_TONEAREST);
}
