// Softmax of each row, a block a row: the maximum, then the sum of exponentials, by shuffles and shared memory.
constexpr int warps = 4;

template <typename Combine> __device__ float block_reduce(float value, float identity, Combine combine) {
    __shared__ float part[warps];
    for (int distance = 16; distance > 0; distance /= 2)
        value = combine(value, __shfl_xor_sync(~0u, value, distance));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < warps ? part[threadIdx.x % 32] : identity;
    for (int distance = 16; distance > 0; distance /= 2)
        value = combine(value, __shfl_xor_sync(~0u, value, distance));
    return value;
}

extern "C" __global__ void __launch_bounds__(warps * 32) softmax(const float *__restrict__ in, float *__restrict__ out, int columns) {
    in += blockIdx.x * columns;
    out += blockIdx.x * columns;
    float maximum = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        maximum = fmaxf(maximum, in[i]);
    maximum = block_reduce(maximum, -INFINITY, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(in[i] - maximum);
    sum = block_reduce(sum, 0.0f, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[i] = expf(in[i] - maximum) / sum;
}
