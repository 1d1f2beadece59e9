// C = A B for square matrices with a side that is a multiple of the tile, in tiles of local memory.
#define TILE 16

__kernel void sgemm(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        a_tile[y][x] = a[row * n + start + x];
        b_tile[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
