// Structures by value as kernel parameters, with padding, an array and a pointer's place; read at an index known only at run time.
struct Line {
    char symbol;
    short offset;
    float slope;
    double weights[5];
    unsigned long long key;
};

struct alignas(16) Pair {
    float4 first;
    int2 second;
};

extern "C" __global__ void lines(const Line line, double *out, int n) {
    int i = threadIdx.x;
    if (i < n)
        out[i] = line.weights[i % 5] * (i + line.offset) + line.slope + line.symbol + (line.key >> 60);
}

extern "C" __global__ void pairs(unsigned char before, Pair pair, float *out) {
    float *values = &pair.first.x;
    values[threadIdx.x % 4] += before;
    out[threadIdx.x] = pair.first.x + 2 * pair.first.y + 4 * pair.first.z + 8 * pair.first.w + pair.second.x * pair.second.y;
}
