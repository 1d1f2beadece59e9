// A lock that every lane of every warp takes in turn: it is released only if lanes of one warp that wait for it let the
// one that holds it go on (independent thread scheduling). What it guards is updated without atomics.
struct Guarded {
    int lock;
    unsigned count, sum;
    unsigned product;
};

extern "C" __global__ void spin_lock(volatile Guarded *guarded, const unsigned *values, unsigned *turns, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    while (atomicCAS(const_cast<int *>(&guarded->lock), 0, 1) != 0) {
    }
    __threadfence();
    unsigned turn = guarded->count;
    turns[turn] += turn + 1;
    guarded->count = turn + 1;
    guarded->sum = guarded->sum + values[i];
    guarded->product = guarded->product * (values[i] | 1);
    __threadfence();
    atomicExch(const_cast<int *>(&guarded->lock), 0);
}

// The same with two locks a thread, taken in order, as between two accounts.
extern "C" __global__ void transfer(int *locks, volatile int *balances, int accounts, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int from = i % accounts, to = (i * 7 + 3) % accounts, amount = i % 13;
    if (from == to)
        return;
    int first = min(from, to), second = max(from, to);
    for (bool done = false; !done;) {
        if (atomicCAS(&locks[first], 0, 1) == 0) {
            while (atomicCAS(&locks[second], 0, 1) != 0) {
            }
            __threadfence();
            balances[from] = balances[from] - amount;
            balances[to] = balances[to] + amount;
            __threadfence();
            atomicExch(&locks[second], 0);
            atomicExch(&locks[first], 0);
            done = true;
        }
    }
}
