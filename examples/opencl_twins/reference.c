// What `floats`, `doubles` and `integers` compute, by the C compiler's operators.
#include <math.h>
#include <stdint.h>

void floats(const float *x, const float *y, float *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        out[i] = x[i] + y[i];
        out[n + i] = x[i] * y[i];
        out[2 * n + i] = fmaf(x[i], y[i], x[i]);
        out[3 * n + i] = x[i] / y[i];
        out[4 * n + i] = sqrtf(fabsf(x[i]));
    }
}

void doubles(const double *x, const double *y, double *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        out[i] = x[i] + y[i];
        out[n + i] = x[i] * y[i];
        out[2 * n + i] = fma(x[i], y[i], x[i]);
        out[3 * n + i] = x[i] / y[i];
        out[4 * n + i] = sqrt(fabs(x[i]));
    }
}

void integers(const uint32_t *x, const uint32_t *y, uint32_t *out, uint64_t *wide, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t a = x[i], b = y[i] | 1, steps = 0;
        out[i] = a / b;
        out[n + i] = a % b;
        out[2 * n + i] = (uint32_t)((unsigned __int128)a * b / 0x100000000u);
        out[3 * n + i] = (b % 32 ? a << b % 32 | a >> (32 - b % 32) : a) ^ (uint32_t)__builtin_popcount(a);
        for (uint32_t value = a % 10000 + 1; value != 1; steps++)
            value = value % 2 ? 3 * value + 1 : value / 2;
        out[4 * n + i] = steps;
        wide[i] = (((uint64_t)a << 32) + b) / (b >> 7 | 1) ^ (uint64_t)a * a >> (b % 64);
    }
}
