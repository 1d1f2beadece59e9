// The two filters with the kernels' order of fused operations.
#include <math.h>
#include <stdint.h>

void fir(const float *signal, const float *taps, float *out, int64_t n, int64_t length) {
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int64_t j = 0; j < length; j++)
            sum = fmaf(signal[i + j], taps[j], sum);
        out[i] = sum;
    }
}

void iir(const double *signal, double *out, int64_t rows, int64_t columns, double a, double b) {
    for (int64_t row = 0; row < rows; row++) {
        double last = 0, before = 0;
        for (int64_t i = 0; i < columns; i++) {
            double y = fma(-b, before, fma(-a, last, signal[row * columns + i]));
            out[row * columns + i] = y;
            before = last;
            last = y;
        }
    }
}
