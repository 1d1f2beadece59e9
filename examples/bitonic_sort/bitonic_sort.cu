// Sort of up to 1,024 keys with their values in one block, by a bitonic network in shared memory.
#include <limits.h>

constexpr int size = 1024;

extern "C" __global__ void __launch_bounds__(size / 2) bitonic_sort(int *keys, unsigned *values, int n) {
    __shared__ int key[size];
    __shared__ unsigned value[size];
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        key[i] = i < n ? keys[i] : INT_MAX;
        value[i] = i < n ? values[i] : 0;
    }
    for (int width = 2; width <= size; width *= 2)
        for (int distance = width / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int low = 2 * threadIdx.x - (threadIdx.x & (distance - 1)), high = low + distance;
            bool ascending = (low & width) == 0;
            if ((key[low] > key[high]) == ascending) {
                int k = key[low];
                key[low] = key[high], key[high] = k;
                unsigned v = value[low];
                value[low] = value[high], value[high] = v;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        keys[i] = key[i];
        values[i] = value[i];
    }
}
