// C = A B for square matrices with a side that is a multiple of the tile, in tiles of shared memory.
constexpr int tile = 16;

extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < n; start += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile; k++)
            sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
