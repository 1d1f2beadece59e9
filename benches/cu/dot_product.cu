// Each block's part of a dot product: a strided sum a thread, then a tree in shared memory.
constexpr unsigned threads = 256;

extern "C" __global__ void dot_product(const float *a, const float *b, float *out, unsigned n) {
    __shared__ float part[threads];
    float total = 0.0f;
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
        total += a[i] * b[i];
    part[threadIdx.x] = total;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
