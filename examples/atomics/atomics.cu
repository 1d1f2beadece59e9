// One slot an atomic operation, each updated by every thread with its own value. The results do not depend on the order:
// the floating-point sums are of small integers, and what `add` returns is used as a ticket.
#include <cuda_fp16.h>

struct Words {
    unsigned add, sub, min, max, and_, or_, xor_, inc, dec, cas_max, block_add, system_add;
    int signed_min, signed_max;
};

struct Longs {
    unsigned long long add, min, max, and_, or_, xor_, cas_add;
    long long signed_min, signed_max;
};

// The maximum of floats of both signs by compare-and-swap.
__device__ void float_max(float *address, float value) {
    unsigned *bits = reinterpret_cast<unsigned *>(address);
    unsigned seen = *bits, assumed;
    do {
        assumed = seen;
        if (__uint_as_float(assumed) >= value)
            return;
        seen = atomicCAS(bits, assumed, __float_as_uint(value));
    } while (seen != assumed);
}

extern "C" __global__ void integers(const unsigned *values, Words *words, Longs *longs, unsigned *tickets, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned value = values[i];
    unsigned ticket = atomicAdd(&words->add, 1);
    tickets[ticket] = ticket + 1;
    atomicSub(&words->sub, value);
    atomicMin(&words->min, value);
    atomicMax(&words->max, value);
    atomicAnd(&words->and_, value | 0x00ff00ff);
    atomicOr(&words->or_, value & 0x10101010);
    atomicXor(&words->xor_, value);
    atomicInc(&words->inc, 100);
    atomicDec(&words->dec, 300);
    atomicAdd_block(&words->block_add, value);
    atomicAdd_system(&words->system_add, value);
    atomicMin(&words->signed_min, static_cast<int>(value));
    atomicMax(&words->signed_max, static_cast<int>(value));
    unsigned seen = words->cas_max, assumed = 0;
    while (seen < value && (assumed = seen, seen = atomicCAS(&words->cas_max, assumed, value)) != assumed) {
    }

    unsigned long long wide = value * 0x123456789abcdefull;
    atomicAdd(&longs->add, wide);
    atomicMin(&longs->min, wide);
    atomicMax(&longs->max, wide);
    atomicAnd(&longs->and_, wide | 0x0f0f0f0f0f0f0f0full);
    atomicOr(&longs->or_, wide & 0x8000100020004000ull);
    atomicXor(&longs->xor_, wide);
    atomicMin(&longs->signed_min, static_cast<long long>(wide));
    atomicMax(&longs->signed_max, static_cast<long long>(wide));
    unsigned long long old = longs->cas_add, expected;
    do {
        expected = old;
        old = atomicCAS(&longs->cas_add, expected, expected + wide);
    } while (old != expected);
}

extern "C" __global__ void floats(const float *values, float *sums, double *double_sum, __half2 *half_sum, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(&sums[0], values[i]);
    float_max(&sums[1], values[i]);
    atomicExch(&sums[2], 42.5f);
    atomicAdd(double_sum, values[i] * 1048577.0);
    atomicAdd(half_sum, __floats2half2_rn(1.0f, i % 2 ? -1.0f : 2.0f));
}
