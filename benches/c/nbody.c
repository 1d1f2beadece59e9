// Accelerations between all pairs of bodies; the inner loop runs over a tile of bodies, so that it becomes vectors.
#include <math.h>

#include "bench.h"

enum { n = 8192, tile = 64 };

static float bodies[n][4], accelerations[n][4];
static const float softening = 0.01f;

static void forces_on_tile(int first) {
    float x[tile], y[tile], z[tile], ax[tile] = {0}, ay[tile] = {0}, az[tile] = {0};
    for (int i = 0; i < tile; i++)
        x[i] = bodies[first + i][0], y[i] = bodies[first + i][1], z[i] = bodies[first + i][2];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < tile; i++) {
            float dx = bodies[j][0] - x[i], dy = bodies[j][1] - y[i], dz = bodies[j][2] - z[i];
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float force = bodies[j][3] * inverse * inverse * inverse;
            ax[i] += dx * force;
            ay[i] += dy * force;
            az[i] += dz * force;
        }
    for (int i = 0; i < tile; i++)
        accelerations[first + i][0] = ax[i], accelerations[first + i][1] = ay[i], accelerations[first + i][2] = az[i];
}

static void run(void) {
#pragma omp parallel for
    for (int first = 0; first < n; first += tile)
        forces_on_tile(first);
}

int main(void) {
    fill(bodies, n * 4);
    return bench(run, accelerations, n * 4);
}
