// Matrix product with tiles copied in the background: while one pair of tiles is multiplied the next one arrives. A block of
// 16 by 16 threads makes 16 by 16 elements of c = a b, where a has m rows of k elements and b has k rows of n.
// m and n are multiples of the tile, k a multiple of 4: what lies beyond k is filled with zeros.

#ifndef BROKEN
#define BROKEN 0 // tests/broken builds variants without the step of that number
#endif
#define STEP(n) if constexpr (BROKEN != n)

constexpr int tile = 16;

// Copies 16 bytes to shared memory, of which `bytes` come from memory and the others are zero.
__device__ void copy(void *to, const void *from, int bytes) {
    unsigned address = __cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

struct Tiles {
    float a[tile][tile], b[tile][tile];
};

// Starts the copies of one pair of tiles: four threads a row, the first 64 threads for a and the next 64 for b.
__device__ void load(Tiles &tiles, const float *a, const float *b, int n, int k, int from, int thread) {
    int row = thread / 4 % tile, column = thread % 4 * 4;
    if (thread < 64)
        copy(&tiles.a[row][column], a + (blockIdx.y * tile + row) * k + from + column, from + column < k ? 16 : 0);
    else if (thread < 128)
        copy(&tiles.b[row][column], b + (from + row) * n + blockIdx.x * tile + column, from + row < k ? 16 : 0);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void product(const float *a, const float *b, float *c, int n, int k) {
    __shared__ alignas(16) Tiles tiles[2];
    int x = threadIdx.x, y = threadIdx.y, thread = y * tile + x, rounds = (k + tile - 1) / tile;
    float sum = 0;
    load(tiles[0], a, b, n, k, 0, thread);
    for (int round = 0; round < rounds; round++) {
        load(tiles[(round + 1) % 2], a, b, n, k, (round + 1) * tile, thread);
        // All groups but the one just started.
        STEP(1) asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const Tiles &now = tiles[round % 2];
        for (int i = 0; i < tile; i++)
            sum = fmaf(now.a[y][i], now.b[i][x], sum);
        // The next round's copies overwrite these tiles.
        STEP(2) __syncthreads();
    }
    c[(blockIdx.y * tile + y) * n + blockIdx.x * tile + x] = sum;
}
