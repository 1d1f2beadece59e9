// Matrix product c = a b by a pipeline of tensor copies. The two blocks of a cluster make 32 by 32 elements each, one below the
// other, so they need the same tiles of b: each loads half of one and multicasts it to both. One warp starts copies, four compute.
// What lies beyond the matrices arrives as zeros and is not stored.

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

#ifndef BROKEN
#define BROKEN 0 // tests/broken builds variants without the step of that number
#endif
#define STEP(n) if constexpr (BROKEN != n)

constexpr int tile = 32, stages = 2, consumers = 128;
constexpr unsigned bytes = tile * tile * sizeof(float);

struct alignas(128) Shared {
    float a[stages][tile][tile], b[stages][tile][tile], c[tile][tile];
    uint64_t full[stages], empty[stages];
};

__device__ void wait(uint64_t &barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
}

// Arrives at the barrier in the same place of each block of the cluster.
__device__ void arrive_everywhere(uint64_t &barrier) {
    unsigned own = __cvta_generic_to_shared(&barrier);
    for (unsigned rank = 0; rank < 2; rank++)
        asm volatile("{ .reg .b32 remote;\n"
                     "mapa.shared::cluster.u32 remote, %0, %1;\n"
                     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }" ::"r"(own), "r"(rank) : "memory");
}

// Which parity a stage's barriers have in a round.
__device__ unsigned parity(int round) {
    return round / stages % 2;
}

__device__ void produce(Shared &shared, const void *a, const void *b, int rounds, int row, int column, unsigned rank) {
    for (int round = 0; round < rounds; round++) {
        int stage = round % stages, half = rank * tile / 2;
        // Both blocks have done with what this stage held; the first time nothing is there.
        STEP(1) wait(shared.empty[stage], parity(round) ^ 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full[stage],
                                       BROKEN == 2 ? 2 * bytes + 16 : 2 * bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.a[stage], a, {round * tile, row},
                                  &shared.full[stage]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.b[stage][half], b,
                                  {column, round * tile + half}, &shared.full[stage], 3);
    }
}

__device__ void consume(Shared &shared, int rounds) {
    int y = threadIdx.x / 4, x = threadIdx.x % 4 * 8;
    float sum[8] = {};
    for (int round = 0; round < rounds; round++) {
        int stage = round % stages;
        STEP(3) wait(shared.full[stage], BROKEN == 4 ? parity(round) ^ 1 : parity(round));
        for (int i = 0; i < tile; i++)
            for (int j = 0; j < 8; j++)
                sum[j] = fmaf(shared.a[stage][y][i], shared.b[stage][i][x + j], sum[j]);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            if constexpr (BROKEN == 5)
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.empty[stage], 2);
            else
                arrive_everywhere(shared.empty[stage]);
        }
    }
    for (int j = 0; j < 8; j++)
        shared.c[y][x + j] = sum[j];
}

extern "C" __global__ void __cluster_dims__(1, 2) product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                        const __grid_constant__ CUtensorMap c, int k) {
    __shared__ Shared shared;
    int row = blockIdx.y * tile, column = blockIdx.x * tile, rounds = (k + tile - 1) / tile;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < stages; stage++) {
            ptx::mbarrier_init(&shared.full[stage], 1);
            // A warp's arrival for each warp of both blocks that compute.
            ptx::mbarrier_init(&shared.empty[stage], 2 * consumers / 32);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    // The other block's barriers must be there before it is written to.
    STEP(6) {
        ptx::barrier_cluster_arrive();
        ptx::barrier_cluster_wait();
    }
    if (BROKEN == 6) __syncthreads();
    if (threadIdx.x == consumers)
        produce(shared, &a, &b, rounds, row, column, blockIdx.y % 2);
    if (threadIdx.x < consumers) {
        consume(shared, rounds);
        // The copy below reads shared memory through another proxy.
        STEP(7) ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &c, {column, row}, shared.c);
        ptx::cp_async_bulk_commit_group();
        STEP(8) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    // The other block's last arrivals and copies go to this one's shared memory.
    STEP(9) {
        ptx::barrier_cluster_arrive();
        ptx::barrier_cluster_wait();
    }
}
