// The same OpenCL C for both vendors: every target's machine code and the PTX give the same bytes.
// Indices and barriers come from the compiler's builtins, so that no vendor's library is linked.
#ifdef __NVPTX__
#define LOCAL_ID ((uint)__nvvm_read_ptx_sreg_tid_x())
#define GROUP_ID ((uint)__nvvm_read_ptx_sreg_ctaid_x())
#define BARRIER() __syncthreads()
#else
#define LOCAL_ID ((uint)__builtin_amdgcn_workitem_id_x())
#define GROUP_ID ((uint)__builtin_amdgcn_workgroup_id_x())
#define BARRIER() (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#endif
#define SIZE 256u
#define ID (GROUP_ID * SIZE + LOCAL_ID)

// Sum, product, fused multiply-add, quotient and square root, each in a row of its own.
kernel void floats(global const float *x, global const float *y, global float *out, uint n) {
    uint i = ID;
    if (i >= n)
        return;
    out[i] = x[i] + y[i];
    out[n + i] = x[i] * y[i];
    out[2 * n + i] = __builtin_fmaf(x[i], y[i], x[i]);
    out[3 * n + i] = x[i] / y[i];
    out[4 * n + i] = __builtin_sqrtf(__builtin_fabsf(x[i]));
}

kernel void doubles(global const double *x, global const double *y, global double *out, uint n) {
    uint i = ID;
    if (i >= n)
        return;
    out[i] = x[i] + y[i];
    out[n + i] = x[i] * y[i];
    out[2 * n + i] = __builtin_fma(x[i], y[i], x[i]);
    out[3 * n + i] = x[i] / y[i];
    out[4 * n + i] = __builtin_sqrt(__builtin_fabs(x[i]));
}

// Quotient, remainder, high half of the product, rotation and count of bits; and how long the Collatz sequence is.
kernel void integers(global const uint *x, global const uint *y, global uint *out, global ulong *wide, uint n) {
    uint i = ID;
    if (i >= n)
        return;
    uint a = x[i], b = y[i] | 1, steps = 0;
    out[i] = a / b;
    out[n + i] = a % b;
    out[2 * n + i] = (uint)((ulong)a * b >> 32);
    out[3 * n + i] = (a << (b & 31) | a >> (-b & 31)) ^ (uint)__builtin_popcount(a);
    for (uint value = a % 10000 + 1; value != 1; steps++)
        value = value & 1 ? 3 * value + 1 : value / 2;
    out[4 * n + i] = steps;
    wide[i] = (((ulong)a << 32 | b) / (b >> 7 | 1)) ^ ((ulong)a * a >> (b & 63));
}

// Tiles of 16 x 16 go through local memory, with a column of padding.
kernel void transpose(global const int *in, global int *out, uint width, uint height) {
    local int tile[16][17];
    uint tiles = width / 16, row = LOCAL_ID / 16, column = LOCAL_ID % 16;
    uint top = GROUP_ID / tiles * 16, left = GROUP_ID % tiles * 16;
    tile[row][column] = in[(top + row) * width + left + column];
    BARRIER();
    out[(left + row) * height + top + column] = tile[column][row];
}

// A sum per group: halves of the group add up in local memory.
kernel void reduce(global const int *in, global int *out) {
    local int part[SIZE];
    uint id = LOCAL_ID;
    part[id] = in[ID];
    for (uint half_size = SIZE / 2; half_size > 0; half_size /= 2) {
        BARRIER();
        if (id < half_size)
            part[id] += part[id + half_size];
    }
    if (id == 0)
        out[GROUP_ID] = part[0];
}

// Inclusive prefix sums in a group, between two buffers in local memory.
kernel void scan(global const int *in, global int *out) {
    local int sums[2][SIZE];
    uint id = LOCAL_ID, now = 0;
    sums[0][id] = in[ID];
    for (uint distance = 1; distance < SIZE; distance *= 2, now ^= 1) {
        BARRIER();
        sums[now ^ 1][id] = sums[now][id] + (id >= distance ? sums[now][id - distance] : 0);
    }
    BARRIER();
    out[ID] = sums[now][id];
}

// Bytes counted by atomic additions, first in local memory and then in global memory.
kernel void histogram(global const uchar *in, global int *out, uint n) {
    local int counts[SIZE];
    uint id = LOCAL_ID;
    counts[id] = 0;
    BARRIER();
    for (uint i = ID; i < n; i += 4 * SIZE)
        __scoped_atomic_fetch_add(&counts[in[i]], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    BARRIER();
    __scoped_atomic_fetch_add(&out[id], counts[id], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
