// Layer normalisation, a warp a row: mean, variance, then (x - mean) / sqrt(variance + epsilon) * weight + bias.
// Every operation rounds to nearest, and a butterfly of shuffles gives all lanes the same sum.
__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(~0u, value, distance);
    return value;
}

extern "C" __global__ void layernorm(const float *x, const float *weight, const float *bias, float *out, int rows, int columns, float epsilon) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    x += row * columns;
    out += row * columns;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += x[i];
    float mean = warp_sum(sum) / columns;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 32) {
        float difference = x[i] - mean;
        squares = fmaf(difference, difference, squares);
    }
    float scale = 1.0f / sqrtf(warp_sum(squares) / columns + epsilon);
    for (int i = threadIdx.x; i < columns; i += 32)
        out[i] = fmaf((x[i] - mean) * scale, weight[i], bias[i]);
}
