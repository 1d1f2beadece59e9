// Iterations until a point of the plane escapes, rounded as the kernel rounds.
#include <math.h>
#include <stdint.h>

static uint16_t escape(float cx, float cy, int64_t limit) {
    float x = 0, y = 0;
    int64_t count = 0;
    while (count < limit && fmaf(x, x, y * y) <= 4.0f) {
        float next = fmaf(x, x, -(y * y)) + cx;
        y = fmaf(x + x, y, cy);
        x = next;
        count++;
    }
    return (uint16_t)count;
}

void mandelbrot(uint16_t *counts, int64_t width, int64_t height, float left, float top, float pixel, int64_t limit) {
    for (int64_t row = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++)
            counts[row * width + column] = escape(fmaf((float)column, pixel, left), fmaf((float)row, pixel, top), limit);
}
