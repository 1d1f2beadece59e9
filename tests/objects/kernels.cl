// Kernels that use what a code object has: constants, data, a call, LDS, arguments of all kinds.
__constant float table[4] = {1.f, 2.f, 3.f, 4.f};
__global int counter = 7;

__attribute__((noinline)) int helper(int x) { return x * counter; }

__kernel void scale(__global float *out, __global const float *in, float f, int n) {
  __local float tile[64];
  int lane = __builtin_amdgcn_workitem_id_x();
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + lane;
  tile[lane] = in[i];
  if (i < n) out[i] = tile[i & 63] * f + table[n & 3] + helper(n);
}

__kernel __attribute__((reqd_work_group_size(64, 2, 1))) void fill(__global int *p, __constant int *q, uchar c, short s, double d, int4 v) {
  p[0] = c + s + (int)d + v.x + q[1];
}
