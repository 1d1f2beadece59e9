// C = A B for square matrices, in tiles.
#include "bench.h"

enum { n = 512, tile = 16 };

static float a[n][n], b[n][n], c[n][n];

static void product_of_tiles(int row, int column, int start) {
    for (int i = row; i < row + tile; i++)
        for (int k = start; k < start + tile; k++)
            for (int j = column; j < column + tile; j++)
                c[i][j] += a[i][k] * b[k][j];
}

static void run(void) {
#pragma omp parallel for
    for (int row = 0; row < n; row += tile)
        for (int column = 0; column < n; column += tile) {
            for (int i = row; i < row + tile; i++)
                for (int j = column; j < column + tile; j++)
                    c[i][j] = 0;
            for (int start = 0; start < n; start += tile)
                product_of_tiles(row, column, start);
        }
}

int main(void) {
    fill(a, n * n);
    fill(b, n * n);
    return bench(run, c, n * n);
}
