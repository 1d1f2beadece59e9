// Dynamic shared memory cut into three arrays: a stable partition of each block's values into even and odd ones, and
// a static array beside it.
extern __shared__ unsigned char memory[];

extern "C" __global__ void partition(const int *in, int *out, int n) {
    __shared__ int evens;
    int *value = reinterpret_cast<int *>(memory);
    unsigned short *rank = reinterpret_cast<unsigned short *>(value + blockDim.x);
    unsigned char *odd = reinterpret_cast<unsigned char *>(rank + 2 * blockDim.x);
    int thread = threadIdx.x, first = blockIdx.x * blockDim.x, count = min(static_cast<int>(blockDim.x), n - first);
    value[thread] = thread < count ? in[first + thread] : 1;
    odd[thread] = value[thread] & 1;
    rank[thread] = !odd[thread];
    unsigned short *from = rank, *to = rank + blockDim.x;
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        __syncthreads();
        to[thread] = from[thread] + (thread >= distance ? from[thread - distance] : 0);
        unsigned short *swap = from;
        from = to, to = swap;
    }
    __syncthreads();
    if (thread == blockDim.x - 1)
        evens = from[thread];
    __syncthreads();
    int place = odd[thread] ? evens + thread - from[thread] : from[thread] - 1;
    if (thread < count)
        out[first + place] = value[thread];
}

// Dynamic and static shared memory of other types in one kernel: the last value below a threshold, by block.
extern "C" __global__ void last_below(const double *in, double *out, double threshold, int n) {
    double *copy = reinterpret_cast<double *>(memory);
    __shared__ unsigned last;
    if (threadIdx.x == 0)
        last = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    copy[threadIdx.x] = i < n ? in[i] : threshold;
    __syncthreads();
    if (copy[threadIdx.x] < threshold)
        atomicMax(&last, threadIdx.x + 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = last ? copy[last - 1] : threshold;
}
