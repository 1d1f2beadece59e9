// y = a x + y.
#include "bench.h"

enum { n = 1 << 24 };

static float x[n], y[n];

static void run(void) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] = 0.5f * x[i] + y[i];
}

int main(void) {
    fill(x, n);
    fill(y, n);
    return bench(run, y, n);
}
