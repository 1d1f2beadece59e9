// Two kernels of which the second begins while the first still runs: what it can do beforehand it does, and waits
// for the first one's memory where it needs it.

#ifndef BROKEN
#define BROKEN 0 // tests/broken builds variants without the step of that number
#endif
#define STEP(n) if constexpr (BROKEN != n)

// y = x * x, after everything that depends on this grid was told that it may begin.
extern "C" __global__ void square(const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    y[i] = x[i] * x[i];
}

// Sums of y over windows of 8 elements, weighted; the weights do not depend on the grid before.
extern "C" __global__ void windows(const int *y, const int *weights, int *sums, int count) {
    __shared__ int weight[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (threadIdx.x < 8)
        weight[threadIdx.x] = weights[threadIdx.x];
    __syncthreads();
    STEP(1) cudaGridDependencySynchronize();
    for (int j = 0; j < 8; j++)
        sum += weight[j] * y[(i + j) % count];
    sums[i] = sum;
}
