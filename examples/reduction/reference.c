// The two passes' sums in the kernels' order: a strided sum a thread, then a tree over the block's threads.
#include <math.h>
#include <stdint.h>

enum { threads = 128 };

static float tree(float *part) {
    for (int half = threads / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return part[0];
}

// out[block] for each block; y is null for a plain sum.
void reduce(const float *x, const float *y, float *out, int64_t n, int64_t blocks) {
    for (int64_t block = 0; block < blocks; block++) {
        float part[threads] = {0};
        for (int64_t thread = 0; thread < threads; thread++)
            for (int64_t i = block * threads + thread; i < n; i += blocks * threads)
                part[thread] = y ? fmaf(x[i], y[i], part[thread]) : part[thread] + x[i];
        out[block] = tree(part);
    }
}
