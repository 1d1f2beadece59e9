// Each group's part of a dot product with one barrier, the most that remu takes: a strided sum a work item, then eight of these a lane of the first wave.
#define THREADS 256

__attribute__((reqd_work_group_size(THREADS, 1, 1)))
__kernel void dot_once(__global const float *a, __global const float *b, __global float *out, uint n, uint stride) {
    __local float part[THREADS];
    uint local_id = __builtin_amdgcn_workitem_id_x();
    uint group = __builtin_amdgcn_workgroup_id_x();
    float total = 0.0f;
    for (uint i = group * THREADS + local_id; i < n; i += stride)
        total += a[i] * b[i];
    part[local_id] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id < 32) {
        float sum = 0.0f;
        for (uint k = 0; k < 8; k++)
            sum += part[local_id + 32 * k];
        out[group * 32 + local_id] = sum;
    }
}
