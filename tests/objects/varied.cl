// Kernels that the assembly of a compiler is held by: numbers of all kinds, atomics, local and scratch memory, lanes, loops, matrices.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define LANE __builtin_amdgcn_workitem_id_x()

__kernel void numbers(__global float *f, __global double *d, __global half *h, __global long *l, int k) {
  int i = LANE;
  f[i] = __builtin_fmaf(f[i], f[i + 1], 0.1f) / f[i + 2] + __builtin_sqrtf(f[i + 3]) - (float)l[i];
  d[i] = __builtin_fma(d[i], 3.25, d[i + 1]) + (double)k;
  h[i] = (half)((float)(h[i] * h[i + 1]) + f[i]);
  l[i] = l[i] * l[i + 1] + ((l[i + 2] >> k) ^ (long)d[i + 2]) + k / 7;
}

__kernel void memory(__global int *p, __global uchar *bytes, __local int *tile, int n) {
  int i = LANE, scratch[16];
  for (int j = 0; j < 16; j++) scratch[j] = j * n;
  for (int j = 0; j < n; j++) scratch[(j * i) & 15] += tile[j];
  tile[i] = scratch[n & 15] + bytes[i * 3];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __atomic_fetch_add(p, tile[n - i], __ATOMIC_SEQ_CST);
  p[i + 1] = __atomic_exchange_n(p + 2, i, __ATOMIC_RELAXED) + __atomic_fetch_max(tile, n, __ATOMIC_RELAXED);
  bytes[4099] = (uchar)i;
}

__kernel void lanes(__global int *o, int k) {
  int i = LANE, x = o[i];
  o[i] = __builtin_amdgcn_readlane(x, k) + __builtin_amdgcn_ds_bpermute(i, x) + __builtin_amdgcn_update_dpp(k, x, 0x111, 5, 15, false);
  if (o[i] > 3) __builtin_trap();
  switch (k) {
  case 0: o[1] = __builtin_amdgcn_perm(x, k, 0x05010400); break;
  case 9: o[2] = __builtin_amdgcn_ubfe(x, 3, 5); break;
  default: o[3] = (int)__builtin_readcyclecounter();
  }
}

#if __has_builtin(__builtin_amdgcn_mfma_f32_16x16x16f16)
typedef half half4_ __attribute__((ext_vector_type(4)));
typedef float float4_ __attribute__((ext_vector_type(4)));
__kernel void matrix(__global float4_ *c, __global half4_ *a) { c[LANE] = __builtin_amdgcn_mfma_f32_16x16x16f16(a[LANE], a[LANE + 1], c[LANE], 1, 2, 3); }
#elif defined(__GFX11__)
typedef half half16_ __attribute__((ext_vector_type(16)));
typedef float float8_ __attribute__((ext_vector_type(8)));
__kernel void matrix(__global float8_ *c, __global half16_ *a) { c[LANE] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[LANE], a[LANE + 1], c[LANE]); }
#endif
