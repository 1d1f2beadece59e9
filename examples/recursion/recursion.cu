// Recursive device functions: lanes of one warp recurse to different depths, call each other, and share a stack only with themselves.
__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__device__ __noinline__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

// The moves of the towers of Hanoi as a number, two bits a peg; each frame holds an array of its own.
__device__ __noinline__ unsigned long long hanoi(int discs, int from, int to, unsigned long long hash) {
    if (discs == 0)
        return hash;
    int pegs[3] = {from, to, 3 - from - to};
    hash = hanoi(discs - 1, pegs[0], pegs[2], hash);
    hash = hash * 31 + (pegs[0] * 4 + pegs[1]);
    return hanoi(discs - 1, pegs[2], pegs[1], hash);
}

__device__ __noinline__ int partition(int *values, int low, int high) {
    int pivot = values[high], end = low;
    for (int i = low; i < high; i++)
        if (values[i] < pivot) {
            int swap = values[i];
            values[i] = values[end], values[end++] = swap;
        }
    values[high] = values[end], values[end] = pivot;
    return end;
}

__device__ __noinline__ void quicksort(int *values, int low, int high) {
    if (low >= high)
        return;
    int middle = partition(values, low, high);
    quicksort(values, low, middle - 1);
    quicksort(values, middle + 1, high);
}

extern "C" __global__ void recursion(unsigned *fibonacci_out, unsigned *ackermann_out, unsigned *parity, unsigned long long *hanoi_out, int *rows, int columns) {
    unsigned thread = threadIdx.x;
    fibonacci_out[thread] = fibonacci(thread % 17);
    ackermann_out[thread] = ackermann(thread % 3, thread % 7);
    parity[thread] = is_even(thread * 3 + 1) | is_odd(thread) << 1;
    hanoi_out[thread] = hanoi(thread % 8, thread % 3, (thread + 1) % 3, thread);
    quicksort(rows, thread * columns, thread * columns + columns - 1);
}
