// Histogram whose bins are spread over the shared memory of a cluster of four blocks: each block owns a quarter of them, and all
// blocks count into all quarters. At the end each adds its own quarter to the bins in global memory.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#ifndef BROKEN
#define BROKEN 0 // tests/broken builds variants without the step of that number
#endif
#define STEP(n) if constexpr (BROKEN != n)

constexpr int blocks = 4, bins = 1024, share = bins / blocks;

extern "C" __global__ void __cluster_dims__(blocks) histogram(const unsigned *values, int count, unsigned *result) {
    __shared__ unsigned counts[share];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < share; i += blockDim.x)
        counts[i] = 0;
    // No block counts before all have cleared their bins.
    STEP(1) cluster.sync();
    if (BROKEN == 1) __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned bin = values[i] % bins;
        atomicAdd(cluster.map_shared_rank(counts, bin / share) + bin % share, 1);
    }
    // No block reads its bins, or ends, before all have counted.
    STEP(2) cluster.sync();
    if (BROKEN == 2) __syncthreads();
    for (int i = threadIdx.x; i < share; i += blockDim.x)
        atomicAdd(result + cluster.block_rank() * share + i, counts[i]);
}
