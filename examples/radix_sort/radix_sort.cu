// Least-significant-digit radix sort of 64-bit keys in one block: eight bits a pass, each warp ranking its keys with
// match.any among its lanes.
constexpr int threads = 128, items = 5, size = threads * items, digits = 256;

extern "C" __global__ void __launch_bounds__(threads) radix_sort(unsigned long long *keys, int n, int passes) {
    __shared__ unsigned counts[threads / 32][digits], sums[digits];
    __shared__ unsigned long long sorted[size];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long held[items];
    for (int i = 0; i < items; i++) {
        int place = warp * 32 * items + i * 32 + lane;
        held[i] = place < n ? keys[place] : ~0ull;
    }
#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
        for (int i = threadIdx.x; i < digits * (threads / 32); i += threads)
            counts[i / digits][i % digits] = 0;
        __syncthreads();
        unsigned ranks[items];
        for (int i = 0; i < items; i++) {
            unsigned digit = held[i] >> 8 * pass & 255;
            unsigned peers = __match_any_sync(~0u, digit);
            unsigned before = counts[warp][digit];
            __syncwarp();
            if (lane == 31 - __clz(peers))
                counts[warp][digit] = before + __popc(peers);
            __syncwarp();
            ranks[i] = before + __popc(peers & ((1u << lane) - 1));
        }
        __syncthreads();
        for (int digit = threadIdx.x; digit < digits; digit += threads) {
            unsigned sum = 0;
            for (int w = 0; w < threads / 32; w++) {
                unsigned count = counts[w][digit];
                counts[w][digit] = sum;
                sum += count;
            }
            sums[digit] = sum;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned sum = 0;
            for (int digit = 0; digit < digits; digit++) {
                unsigned count = sums[digit];
                sums[digit] = sum;
                sum += count;
            }
        }
        __syncthreads();
        for (int i = 0; i < items; i++) {
            unsigned digit = held[i] >> 8 * pass & 255;
            sorted[sums[digit] + counts[warp][digit] + ranks[i]] = held[i];
        }
        __syncthreads();
        for (int i = 0; i < items; i++)
            held[i] = sorted[warp * 32 * items + i * 32 + lane];
        __syncthreads();
    }
    for (int i = 0; i < items; i++) {
        int place = warp * 32 * items + i * 32 + lane;
        if (place < n)
            keys[place] = held[i];
    }
}
