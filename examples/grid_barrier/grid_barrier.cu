// All blocks meet at a barrier of their own making between the steps of one launch: all must be resident at once.
__device__ void grid_barrier(unsigned *arrived, unsigned *generation) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned current = *reinterpret_cast<volatile unsigned *>(generation);
        __threadfence();
        if (atomicAdd(arrived, 1) == gridDim.x - 1) {
            *arrived = 0;
            __threadfence();
            atomicAdd(generation, 1);
        } else {
            while (*reinterpret_cast<volatile unsigned *>(generation) == current) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

// Jacobi's iteration on a ring: each element becomes half the sum of its neighbours and of itself, rounded down.
extern "C" __global__ void diffuse(int *values, int *other, unsigned *arrived, unsigned *generation, int n, int steps) {
    for (int step = 0; step < steps; step++) {
        const volatile int *from = step % 2 ? other : values;
        int *to = step % 2 ? values : other;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            to[i] = (from[(i + n - 1) % n] + 2 * from[i] + from[(i + 1) % n]) >> 2;
        grid_barrier(arrived, generation);
    }
}
