// One generation of Conway's game of life on a torus; launched several times, from one buffer to the other and back.
extern "C" __global__ void generation(const unsigned char *__restrict__ from, unsigned char *__restrict__ to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                neighbours += from[(y + dy + height) % height * width + (x + dx + width) % width];
    to[y * width + x] = neighbours == 3 || (neighbours == 2 && from[y * width + x]);
}
