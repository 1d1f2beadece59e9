// Each block's part of a dot product: a strided sum a thread, then a tree.
#include "bench.h"

enum { n = 1 << 20, blocks = 256, threads = 256 };

static float a[n], b[n], out[blocks];

static void run(void) {
#pragma omp parallel for
    for (int block = 0; block < blocks; block++) {
        float part[threads] = {0};
        for (int start = block * threads; start < n; start += blocks * threads)
            for (int i = 0; i < threads; i++)
                part[i] += a[start + i] * b[start + i];
        for (int half = threads / 2; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                part[i] += part[i + half];
        out[block] = part[0];
    }
}

int main(void) {
    fill(a, n);
    fill(b, n);
    return bench(run, out, blocks);
}
