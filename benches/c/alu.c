// Arithmetic in registers alone: an xorshift generator, multiply-adds of integers and floats, a selection.
#include "bench.h"

enum { threads = 1 << 16, iterations = 1024 };

static uint32_t words[threads];
static float floats[threads];

static void run(void) {
#pragma omp parallel for
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t a = i * 2654435761u + 1, sum = i;
        float x = i * 1e-6f, y = 0.5f;
        for (uint32_t k = 0; k < iterations; k++) {
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
}

int main(void) { return bench(run, words, threads); }
