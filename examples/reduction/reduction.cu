// Sums in two passes: each block reduces its part in shared memory, then one block the partial sums.
// `dot` does the same to the products of two vectors.
constexpr unsigned threads = 128;

__device__ float block_sum(float value) {
    __shared__ float part[threads];
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}

extern "C" __global__ void sum(const float *in, float *out, unsigned n) {
    float total = 0.0f;
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
        total += in[i];
    total = block_sum(total);
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

extern "C" __global__ void dot(const float *x, const float *y, float *out, unsigned n) {
    float total = 0.0f;
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
        total = fmaf(x[i], y[i], total);
    total = block_sum(total);
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}
