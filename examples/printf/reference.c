// The example's output by C's own printf. Only the last lines differ in what the function returns: CUDA's gives the
// number of arguments, not of characters.
#include <stdio.h>

static void formats(int i, unsigned u, long long wide, float f, double d) {
    printf("plain text, 100%%\n");
    printf("%d %i %u %x %X %o\n", i, -i, u, u, u, u);
    printf("[%6d] [%-6d] [%06d] [%+d] [% d] [%#x] [%#o]\n", i, i, i, i, i, u, u);
    printf("%lld %llu %llx %ld\n", wide, (unsigned long long)wide, (unsigned long long)wide, (long)i);
    printf("%hd %hhd %hu %hhu\n", i, i, i, i);
    printf("%f %e %g %E %G %a\n", f, f, f, d, d, d);
    printf("[%10.3f] [%-10.2e] [%+.0f] [%#.0f] [%010.4f]\n", d, d, d, d, d);
    printf("%g %g %g %g\n", 1e300 * 1e10 * d, -1.0 / 0.0, 0.0 * -d, 1e-310);
    printf("%s|%10s|%-10s|%.3s|%c%c\n", "text", "right", "left", "truncated", 'o', 'k');
    printf("%*d|%-*d|%.*f\n", 7, i, 7, i, 2, d);
    printf("%5c|%-5c|%s\n", 'x', 'y', i > 0 ? "positive" : "negative");
    printf("three %d %f %s\n", i, d, "arguments");
    printf("returned 3, and without arguments 0\n");
}

int main(void) {
    formats(70000, 3735928559u, -1234567890123456789ll, 3.14159274f, -2.718281828459045);
    for (unsigned block = 0; block < 1; block++)
        for (unsigned thread = 0; thread < 37; thread++)
            if (thread % 3 != 0)
                printf("block %u thread %u: %d\n", block, thread, (int)thread);
    return 0;
}
