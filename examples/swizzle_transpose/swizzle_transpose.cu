// Transpose by tensor copies, once for each way to swizzle a tile in shared memory. A block loads 32 rows of one tile, reads it
// column by column where the swizzle has put the elements, and stores the transposed tile, which is swizzled, too.

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

#ifndef BROKEN
#define BROKEN 0 // tests/broken builds variants without the step of that number
#endif
#define STEP(n) if constexpr (BROKEN != n)

constexpr int rows = 32;

// Where a tile with rows of `width` bytes has the element: atoms of `atom` bytes change places within a row, by the row's number.
// Rows are counted in lines of 128 bytes, the width of all banks.
template <int width, int atom>
__device__ int place(int row, int column) {
    int offset = row * width + column * 4;
    return offset ^ (offset / 128 * atom) % width;
}

template <>
__device__ int place<0, 0>(int row, int column) {
    return row * 32 * 4 + column * 4;
}

// A block transposes a tile of `columns` by 32 elements.
template <int columns, int width, int atom>
__device__ void transpose(const CUtensorMap &in, const CUtensorMap &out) {
    __shared__ alignas(1024) char from[rows * columns * 4];
    __shared__ alignas(1024) char to[rows * columns * 4];
    __shared__ uint64_t full;
    int x = blockIdx.x * columns, y = blockIdx.y * rows;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof from);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, from, &in, {x, y}, &full);
    }
    __syncthreads();
    STEP(1) while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    for (int i = threadIdx.x; i < rows * columns; i += blockDim.x) {
        int row = i / columns, column = i % columns;
        unsigned value = *reinterpret_cast<unsigned *>(from + place<width, atom>(row, column));
        *reinterpret_cast<unsigned *>(to + place<128, 16>(column, row)) = value;
    }
    STEP(2) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, {y, x}, to);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

#define KERNEL(name, columns, width, atom)                                                                              \
    extern "C" __global__ void name(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) { \
        transpose<columns, width, atom>(in, out);                                                                       \
    }

KERNEL(plain, 32, 0, 0)
KERNEL(swizzle_32, 8, 32, 16)
KERNEL(swizzle_64, 16, 64, 16)
KERNEL(swizzle_128, 32, 128, 16)
KERNEL(swizzle_128_atom_32, 32, 128, 32)
