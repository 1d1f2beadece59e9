// OpenCL C: the rank of each value in its group, and a sum by vectors of four, in local memory that the launch provides.
__kernel void rank_in_group(__global const int *in, __global int *sorted, __local int *part, uint n) {
    size_t id = get_global_id(0), local_id = get_local_id(0), size = get_local_size(0), start = get_group_id(0) * size;
    part[local_id] = id < n ? in[id] : INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint rank = 0;
    for (size_t i = 0; i < size; i++)
        rank += part[i] < part[local_id] || (part[i] == part[local_id] && i < local_id);
    if (id < n)
        sorted[start + rank] = part[local_id];
}

__kernel void mixed_sum(__global const uchar16 *in, __global uint4 *out) {
    size_t id = get_global_id(0);
    uint16 wide = convert_uint16(in[id]);
    uint4 sum = wide.s0123 + wide.s4567 * 3u + rotate(wide.s89ab, 7u) + mul24(wide.scdef, wide.s0123);
    out[id] = select(sum, sum.wzyx, sum > 2000u) + clamp(sum.yxwz, 10u, 500u) + popcount(sum);
}
