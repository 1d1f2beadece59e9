// Pairs of bf16: one output row an operation.
#include <cuda_bf16.h>

extern "C" __global__ void bfloat16(const __nv_bfloat162 *a, const __nv_bfloat162 *b, const __nv_bfloat162 *c, __nv_bfloat162 *out, float2 *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_bfloat162 x = a[i], y = b[i], z = c[i];
    out[0 * n + i] = __hadd2(x, y);
    out[1 * n + i] = __hsub2(x, y);
    out[2 * n + i] = __hmul2(x, y);
    out[3 * n + i] = __hfma2(x, y, z);
    out[4 * n + i] = __hmin2(x, y);
    out[5 * n + i] = __hmax2(x, y);
    out[6 * n + i] = __hneg2(x);
    out[7 * n + i] = __habs2(x);
    float2 f = __bfloat1622float2(x);
    wide[i] = f;
    out[8 * n + i] = __floats2bfloat162_rn(f.x * 1.003f, f.y * 0.997f);
    out[9 * n + i] = __halves2bfloat162(__float2bfloat16_rz(f.x * 1.003f), __float2bfloat16_rd(f.y * 0.997f));
}
