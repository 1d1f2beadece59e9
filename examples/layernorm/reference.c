// Layer normalisation in f32 with the kernel's order of additions.
#include <math.h>
#include <stdint.h>

// Lane 0 of a butterfly over 32 lanes: each step adds the lane `distance` away.
static float butterfly(float *lanes) {
    for (int distance = 16; distance > 0; distance /= 2)
        for (int lane = 0; lane < distance; lane++)
            lanes[lane] += lanes[lane + distance];
    return lanes[0];
}

static void row(const float *x, const float *weight, const float *bias, float *out, int64_t columns, float epsilon) {
    float sum[32] = {0}, squares[32] = {0};
    for (int64_t i = 0; i < columns; i++)
        sum[i % 32] += x[i];
    float mean = butterfly(sum) / (float)columns;
    for (int64_t i = 0; i < columns; i++)
        squares[i % 32] = fmaf(x[i] - mean, x[i] - mean, squares[i % 32]);
    float scale = 1.0f / sqrtf(butterfly(squares) / (float)columns + epsilon);
    for (int64_t i = 0; i < columns; i++)
        out[i] = fmaf((x[i] - mean) * scale, weight[i], bias[i]);
}

void layernorm(const float *x, const float *weight, const float *bias, float *out, int64_t rows, int64_t columns, float epsilon) {
    for (int64_t i = 0; i < rows; i++)
        row(x + i * columns, weight, bias, out + i * columns, columns, epsilon);
}
