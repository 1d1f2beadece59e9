// An assertion that one thread of the second block violates.
#include <assert.h>

extern "C" __global__ void check_positive(const int *values, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(values[i] > 0);
        out[i] = values[i];
    }
}
