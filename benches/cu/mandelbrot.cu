// Iterations until a point escapes, over the square from -2 - 1.5i with side 3.
extern "C" __global__ void mandelbrot(unsigned *counts, int size, int limit) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = column * (3.0f / size) - 2.0f, cy = row * (3.0f / size) - 1.5f, x = 0, y = 0;
    int count = 0;
    while (count < limit && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        count++;
    }
    counts[row * size + column] = count;
}
