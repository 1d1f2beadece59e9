// Arithmetic in registers alone: an xorshift generator, multiply-adds of integers and floats, a selection.
extern "C" __global__ void alu(unsigned *words, float *floats, int iterations) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = i * 2654435761u + 1, sum = i;
    float x = i * 1e-6f, y = 0.5f;
    for (int k = 0; k < iterations; k++) {
        a ^= a << 13;
        a ^= a >> 17;
        a ^= a << 5;
        sum = sum * 5 + a;
        x = x * 0.99f + y;
        y = y * -0.5f + x;
        sum = y > x ? sum ^ k : sum;
    }
    words[i] = sum;
    floats[i] = x + y;
}
