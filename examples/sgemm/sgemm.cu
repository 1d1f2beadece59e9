// C = A B for row-major f32 matrices (m by k, k by n): one thread an element, and the same in tiles of shared memory.
// Both add the products of an element in the order of k, so their results are equal to the bit.
constexpr int tile = 16;

extern "C" __global__ void sgemm_naive(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void sgemm_tiled(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y;
    int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += tile) {
        int i = start + threadIdx.x, j = start + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = column < n && j < k ? b[j * n + column] : 0.0f;
        __syncthreads();
        for (int l = 0; l < tile; l++)
            sum += a_tile[threadIdx.y][l] * b_tile[l][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
