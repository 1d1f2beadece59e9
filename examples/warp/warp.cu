// Shuffles, votes and matches of whole warps, part warps and groups; an output row each.
#include <cooperative_groups.h>
namespace groups = cooperative_groups;

extern "C" __global__ void shuffles(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned value = in[i];
    out[0 * n + i] = __shfl_sync(~0u, value, (lane * 5 + 3) % 32);
    out[1 * n + i] = __shfl_sync(~0u, value, lane + 3, 8);
    out[2 * n + i] = __shfl_up_sync(~0u, value, 5);
    out[3 * n + i] = __shfl_up_sync(~0u, value, 3, 16);
    out[4 * n + i] = __shfl_down_sync(~0u, value, 7);
    out[5 * n + i] = __shfl_down_sync(~0u, value, 2, 4);
    out[6 * n + i] = __shfl_xor_sync(~0u, value, 21);
    out[7 * n + i] = __shfl_xor_sync(~0u, value, 9, 8);
    unsigned long long wide = __shfl_xor_sync(~0u, value * 0x100000001ull + 1, 1);
    out[8 * n + i] = wide >> 32 ^ wide;
    out[9 * n + i] = __shfl_sync(~0u, value, 40);
}

extern "C" __global__ void votes(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned value = in[i];
    out[0 * n + i] = __ballot_sync(~0u, value & 1);
    out[1 * n + i] = __all_sync(~0u, value != 0) | __any_sync(~0u, value % 50 == 0) << 1 | __any_sync(~0u, value > 1000) << 2;
    out[2 * n + i] = __match_any_sync(~0u, value % 5);
    int all;
    unsigned mask = __match_all_sync(~0u, value / 1000, &all);
    out[3 * n + i] = mask ^ all;
    out[4 * n + i] = __reduce_add_sync(~0u, value);
    out[5 * n + i] = __reduce_min_sync(~0u, static_cast<int>(value) - 500);
    out[6 * n + i] = __reduce_max_sync(~0u, value * 0x9e3779b9);
    out[7 * n + i] = __reduce_xor_sync(~0u, value) ^ __reduce_and_sync(~0u, value | 0xf0) ^ __reduce_or_sync(~0u, value << 8);
    // Only some lanes take part.
    unsigned taking = __ballot_sync(~0u, value % 3 == 0), result = 0;
    if (value % 3 == 0) {
        result = __reduce_add_sync(taking, value) + __popc(__activemask() & taking);
        result ^= __shfl_sync(taking, value, __ffs(taking) - 1);
        result += __popc(taking & (1u << lane) - 1) << 24;
    }
    __syncwarp();
    out[8 * n + i] = result;
}

extern "C" __global__ void cooperative(const unsigned *in, unsigned *out, int n) {
    groups::thread_block block = groups::this_thread_block();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i];
    auto eight = groups::tiled_partition<8>(block);
    unsigned sum = value;
    for (int distance = eight.size() / 2; distance > 0; distance /= 2)
        sum += eight.shfl_xor(sum, distance);
    out[0 * n + i] = sum;
    out[1 * n + i] = eight.meta_group_rank() * 100 + eight.thread_rank() + eight.ballot(value & 1) * 1000;
    auto warp = groups::tiled_partition<32>(block);
    out[2 * n + i] = warp.any(value == 77) + warp.shfl(value, 31);
    if (value % 4 == 1) {
        groups::coalesced_group now = groups::coalesced_threads();
        out[3 * n + i] = now.size() * 64 + now.thread_rank() + now.shfl(value, 0) * 4096;
    } else {
        out[3 * n + i] = 0;
    }
}
