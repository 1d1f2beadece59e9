// A persistent kernel that takes over the work of blocks that have not begun: each block makes its own tile of the result, and then
// those of the blocks whose launch it could cancel. The answer to a cancellation arrives in shared memory while a tile is made.

#include <cuda/ptx>

namespace ptx = cuda::ptx;

#ifndef BROKEN
#define BROKEN 0 // tests/broken builds variants without the step of that number
#endif
#define STEP(n) if constexpr (BROKEN != n)

// An integer mix of the index: every element of the result is another.
__device__ unsigned mix(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

extern "C" __global__ void fill(unsigned *result, unsigned *tiles_made) {
    __shared__ uint4 answer;
    __shared__ uint64_t arrived;
    int tile = blockIdx.x, parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&arrived, 1);
    __syncthreads();
    while (true) {
        // Everyone has read the last answer, and the next one may overwrite it.
        STEP(1) __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &arrived);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &arrived, sizeof answer);
            atomicAdd(tiles_made, 1);
        }
        int i = tile * blockDim.x + threadIdx.x;
        result[i] = mix(i);
        STEP(2) while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &arrived, parity)) {
        }
        parity ^= 1;
        uint4 now = answer;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(now))
            break;
        tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(now);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
