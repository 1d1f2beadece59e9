// What device printf can print, by one thread; then a line a thread, in turn.
#include <stdio.h>

extern "C" __global__ void formats(int i, unsigned u, long long wide, float f, double d) {
    printf("plain text, 100%%\n");
    printf("%d %i %u %x %X %o\n", i, -i, u, u, u, u);
    printf("[%6d] [%-6d] [%06d] [%+d] [% d] [%#x] [%#o]\n", i, i, i, i, i, u, u);
    printf("%lld %llu %llx %ld\n", wide, static_cast<unsigned long long>(wide), static_cast<unsigned long long>(wide), static_cast<long>(i));
    printf("%hd %hhd %hu %hhu\n", i, i, i, i);
    printf("%f %e %g %E %G %a\n", f, f, f, d, d, d);
    printf("[%10.3f] [%-10.2e] [%+.0f] [%#.0f] [%010.4f]\n", d, d, d, d, d);
    printf("%g %g %g %g\n", 1e300 * 1e10 * d, -1.0 / 0.0, 0.0 * -d, 1e-310);
    printf("%s|%10s|%-10s|%.3s|%c%c\n", "text", "right", "left", "truncated", 'o', 'k');
    printf("%*d|%-*d|%.*f\n", 7, i, 7, i, 2, d);
    printf("%5c|%-5c|%s\n", 'x', 'y', i > 0 ? "positive" : "negative");
    int returned = printf("three %d %f %s\n", i, d, "arguments");
    printf("returned %d, and without arguments %d\n", returned, printf(""));
}

extern "C" __global__ void turns(const int *values) {
    for (unsigned turn = 0; turn < blockDim.x; turn++) {
        if (turn == threadIdx.x && values[turn] % 3 != 0)
            printf("block %u thread %u: %d\n", blockIdx.x, threadIdx.x, values[turn]);
        __syncthreads();
    }
}
