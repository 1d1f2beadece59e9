// Timing of a C twin: the best of several runs, and a hash of the result's bits so that no run is optimised away.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Floats from 0 to 1, the same in every program.
static inline void fill(void *array, size_t count) {
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        ((float *)array)[i] = (float)(state >> 8) * 0x1p-24f;
    }
}

// Print "SECONDS HASH" for the best of RUNS runs (environment; 3 if unset) over `count` words of result.
static inline int bench(void (*run)(void), const void *result, size_t count) {
    const char *runs = getenv("RUNS");
    double best = 1e30;
    for (int i = runs ? atoi(runs) : 3; i > 0; i--) {
        double start = now();
        run();
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    uint32_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = hash * 31 + ((const uint32_t *)result)[i];
    printf("%.6f %08x\n", best, hash);
    return 0;
}
