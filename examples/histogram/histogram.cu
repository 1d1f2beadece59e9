// A histogram of bytes: each block counts in shared memory, reading four bytes at a time, then adds to the global counts.
extern "C" __global__ void histogram(const uchar4 *in, unsigned *counts, unsigned n) {
    __shared__ unsigned local[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    unsigned step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = first; i < n / 4; i += step) {
        uchar4 four = in[i];
        atomicAdd(&local[four.x], 1);
        atomicAdd(&local[four.y], 1);
        atomicAdd(&local[four.z], 1);
        atomicAdd(&local[four.w], 1);
    }
    if (first < n % 4)
        atomicAdd(&local[reinterpret_cast<const unsigned char *>(in)[n / 4 * 4 + first]], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i])
            atomicAdd(&counts[i], local[i]);
}
