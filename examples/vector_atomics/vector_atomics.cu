// Atomics of sm_90: additions to vectors of f32, f16 pairs and bf16 pairs, and compare-and-swap of 16 bytes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct alignas(16) Entry {
    unsigned long long key, sum;
};

extern "C" __global__ void vector_atomics(const float4 *values, float4 *four, float2 *two, __half2 *halves, __nv_bfloat162 *brains, Entry *entry, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 value = values[i];
    atomicAdd(&four[i % 3], value);
    atomicAdd(two, make_float2(value.x, -value.y));
    atomicAdd(halves, __floats2half2_rn(1.0f, i % 2 ? 1.0f : -1.0f));
    atomicAdd(brains, __floats2bfloat162_rn(i < 100 ? 1.0f : 0.0f, i % 2 ? 0.5f : -0.5f));
    Entry seen = *entry, next, old;
    for (;;) {
        next.key = seen.key + 1;
        next.sum = seen.sum + static_cast<unsigned long long>(i) * i;
        old = atomicCAS(entry, seen, next);
        if (old.key == seen.key && old.sum == seen.sum)
            break;
        seen = old;
    }
}
