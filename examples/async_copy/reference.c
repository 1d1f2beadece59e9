// c = a b, each element one chain of fused multiplications and additions.
#include <math.h>
#include <stdint.h>

void product(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
    for (int64_t y = 0; y < m; y++)
        for (int64_t x = 0; x < n; x++) {
            float sum = 0;
            for (int64_t i = 0; i < k; i++)
                sum = fmaf(a[y * k + i], b[i * n + x], sum);
            c[y * n + x] = sum;
        }
}
