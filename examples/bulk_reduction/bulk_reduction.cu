// Sums, minima and maxima of a matrix's columns. Each block reduces its rows in shared memory; bulk copies that reduce
// then combine the blocks' results in global memory.

#include <climits>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

#ifndef BROKEN
#define BROKEN 0 // tests/broken builds variants without the step of that number
#endif
#define STEP(n) if constexpr (BROKEN != n)

constexpr int columns = 256;

extern "C" __global__ void reduce(const int *matrix, int rows, int *sum, int *least, int *greatest, float *mean) {
    __shared__ alignas(128) int part[3][columns];
    __shared__ alignas(128) float share[columns];
    int column = threadIdx.x;
    part[0][column] = 0, part[1][column] = INT_MAX, part[2][column] = INT_MIN;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        int value = matrix[row * columns + column];
        part[0][column] += value;
        part[1][column] = min(part[1][column], value);
        part[2][column] = max(part[2][column], value);
    }
    // A power of two: every partial sum is exact, whatever the order of blocks.
    share[column] = part[0][column] * 0.0078125f;
    STEP(1) ptx::fence_proxy_async(ptx::space_shared);
    STEP(2) __syncthreads();
    if (column == 0) {
        constexpr unsigned bytes = columns * sizeof(int);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, part[0], bytes);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, least, part[1], bytes);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, greatest, part[2], bytes);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, mean, share, bytes);
        ptx::cp_async_bulk_commit_group();
        STEP(3) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    // The results are in the copies: this memory is free again.
    STEP(4) __syncthreads();
    part[0][column] = share[column] = 0;
}
