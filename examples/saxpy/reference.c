// y = a x + y, rounded once.
#include <math.h>
#include <stdint.h>

void saxpy(float a, const float *x, float *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        y[i] = fmaf(a, x[i], y[i]);
}
