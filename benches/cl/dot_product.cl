// Each group's part of a dot product: a strided sum a work item, then a tree in local memory.
#define THREADS 256

__kernel void dot_product(__global const float *a, __global const float *b, __global float *out, uint n) {
    __local float part[THREADS];
    uint local_id = get_local_id(0);
    float total = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        total += a[i] * b[i];
    part[local_id] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = THREADS / 2; half_size > 0; half_size /= 2) {
        if (local_id < half_size)
            part[local_id] += part[local_id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (local_id == 0)
        out[get_group_id(0)] = part[0];
}
