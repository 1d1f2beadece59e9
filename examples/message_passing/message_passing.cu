// Blocks that hand data on through flags with release and acquire order (libcu++): a pipeline of one block after
// another, and a queue that several blocks fill and one empties.
#include <cuda/atomic>

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Block b waits for block b - 1, which need not be running yet, and adds to what it wrote.
extern "C" __global__ void pipeline(unsigned *data, unsigned *flags, unsigned width) {
    unsigned block = blockIdx.x;
    if (threadIdx.x == 0 && block > 0)
        while (Flag(flags[block - 1]).load(cuda::memory_order_acquire) == 0) {
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < width; i += blockDim.x)
        data[block * width + i] = (block > 0 ? data[(block - 1) * width + i] * 3 : i) + block;
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        Flag(flags[block]).store(1, cuda::memory_order_release);
    }
}

struct Slot {
    unsigned full, value;
};

// The last block takes as many values as the others put into a ring of slots, and adds up their squares.
extern "C" __global__ void queue(Slot *slots, unsigned *head, unsigned long long *sum, unsigned size, unsigned each) {
    unsigned producers = gridDim.x - 1;
    if (blockIdx.x < producers) {
        for (unsigned i = threadIdx.x; i < each; i += blockDim.x) {
            unsigned place = Flag(*head).fetch_add(1, cuda::memory_order_relaxed);
            Slot &slot = slots[place % size];
            while (Flag(slot.full).load(cuda::memory_order_acquire) != place / size * 2) {
            }
            slot.value = blockIdx.x * 1000 + i;
            Flag(slot.full).store(place / size * 2 + 1, cuda::memory_order_release);
        }
    } else if (threadIdx.x == 0) {
        unsigned long long total = 0;
        for (unsigned place = 0; place < producers * each; place++) {
            Slot &slot = slots[place % size];
            while (Flag(slot.full).load(cuda::memory_order_acquire) != place / size * 2 + 1) {
            }
            total += static_cast<unsigned long long>(slot.value) * slot.value;
            Flag(slot.full).store(place / size * 2 + 2, cuda::memory_order_release);
        }
        *sum = total;
    }
}
