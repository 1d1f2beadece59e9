// Iterations until a point escapes, over the square from -2 - 1.5i with side 3.
#include "bench.h"

enum { size = 1024, limit = 256 };

static uint32_t counts[size][size];

static void run(void) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int row = 0; row < size; row++)
        for (int column = 0; column < size; column++) {
            float cx = column * (3.0f / size) - 2.0f, cy = row * (3.0f / size) - 1.5f, x = 0, y = 0;
            uint32_t count = 0;
            while (count < limit && x * x + y * y <= 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                count++;
            }
            counts[row][column] = count;
        }
}

int main(void) { return bench(run, counts, size * size); }
