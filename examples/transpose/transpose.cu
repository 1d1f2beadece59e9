// Transpose through a tile of shared memory, padded so that a column's elements lie in different banks;
// a block of 32 by 8 threads moves 32 by 32 elements.
constexpr int tile = 32, rows = 8;

extern "C" __global__ void transpose(const unsigned *in, unsigned *out, int width, int height) {
    __shared__ unsigned part[tile][tile + 1];
    int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int i = 0; i < tile; i += rows)
        if (x < width && y + i < height)
            part[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x, y = blockIdx.x * tile + threadIdx.y;
    for (int i = 0; i < tile; i += rows)
        if (x < height && y + i < width)
            out[(y + i) * height + x] = part[threadIdx.x][threadIdx.y + i];
}
