// Iterations until a point of the plane escapes. The roundings are spelled out, so that the counts are the same everywhere.
extern "C" __global__ void mandelbrot(unsigned short *counts, int width, int height, float left, float top, float pixel, int limit) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    float cx = fmaf(column, pixel, left), cy = fmaf(row, pixel, top);
    float x = 0, y = 0;
    int count = 0;
    while (count < limit && fmaf(x, x, __fmul_rn(y, y)) <= 4.0f) {
        float next = __fadd_rn(fmaf(x, x, -__fmul_rn(y, y)), cx);
        y = fmaf(__fadd_rn(x, x), y, cy);
        x = next;
        count++;
    }
    counts[row * width + column] = count;
}
