// C = A B, one fma a product, in the order of k.
#include <math.h>
#include <stdint.h>

void sgemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            float sum = 0.0f;
            for (int64_t i = 0; i < k; i++)
                sum = fmaf(a[row * k + i], b[i * n + column], sum);
            c[row * n + column] = sum;
        }
}
