// Convolution with the filter, one fma a term, row by row.
#include <math.h>
#include <stdint.h>

static const float filter[5][5] = {
    {0.01f, 0.02f, 0.03f, 0.02f, 0.01f}, {0.02f, 0.06f, 0.09f, 0.06f, 0.02f}, {0.03f, 0.09f, 0.16f, 0.09f, 0.03f},
    {0.02f, 0.06f, 0.09f, 0.06f, 0.02f}, {-0.01f, -0.02f, 0.03f, 0.02f, 0.01f},
};

static int64_t clamp(int64_t value, int64_t end) { return value < 0 ? 0 : value >= end ? end - 1 : value; }

static float pixel(const float *in, int64_t x, int64_t y, int64_t width, int64_t height) {
    float sum = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum = fmaf(in[clamp(y + dy - 2, height) * width + clamp(x + dx - 2, width)], filter[dy][dx], sum);
    return sum;
}

void convolution(const float *in, float *out, int64_t width, int64_t height) {
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            out[y * width + x] = pixel(in, x, y, width, height);
}
