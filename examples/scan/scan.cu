// Inclusive scan in one launch, after Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back":
// a block takes the next tile, publishes its sum, and adds up what the tiles before it have published, 32 at a time,
// waiting for those that have not.
constexpr unsigned threads = 128;
enum State : unsigned long long { sum_known = 1ull << 32, prefix_known = 2ull << 32 };

__device__ unsigned inclusive_scan_warp(unsigned value) {
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned before = __shfl_up_sync(~0u, value, distance);
        if (threadIdx.x % 32 >= distance)
            value += before;
    }
    return value;
}

// The sum of all tiles before this one; the caller is one full warp.
__device__ unsigned look_back(volatile unsigned long long *states, int tile) {
    int lane = threadIdx.x % 32;
    unsigned prefix = 0;
    for (int last = tile - 1; last >= 0; last -= 32) {
        int other = last - lane;
        unsigned long long state;
        do
            state = other >= 0 ? states[other] : prefix_known;
        while (__any_sync(~0u, state < sum_known));
        unsigned complete = __ballot_sync(~0u, state >= prefix_known);
        int nearest = complete ? __ffs(complete) - 1 : 31;
        unsigned value = lane <= nearest ? static_cast<unsigned>(state) : 0;
        for (int distance = 16; distance > 0; distance /= 2)
            value += __shfl_xor_sync(~0u, value, distance);
        prefix += value;
        if (complete)
            break;
    }
    return prefix;
}

extern "C" __global__ void inclusive_scan(const unsigned *in, unsigned *out, unsigned long long *states, unsigned *next_tile, unsigned n) {
    __shared__ unsigned warp_sums[threads / 32], tile, prefix;
    if (threadIdx.x == 0)
        tile = atomicAdd(next_tile, 1);
    __syncthreads();
    unsigned i = tile * threads + threadIdx.x;
    unsigned value = inclusive_scan_warp(i < n ? in[i] : 0);
    if (threadIdx.x % 32 == 31)
        warp_sums[threadIdx.x / 32] = value;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned warp = 0; warp < threads / 32; warp++) {
        if (warp == threadIdx.x / 32)
            value += sum;
        sum += warp_sums[warp];
    }
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0 && tile > 0)
            atomicExch(&states[tile], sum_known | sum);
        unsigned before = look_back(states, tile);
        if (threadIdx.x == 0) {
            atomicExch(&states[tile], prefix_known | (before + sum));
            prefix = before;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = value + prefix;
}
