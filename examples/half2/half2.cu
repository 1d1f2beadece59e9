// Pairs of f16 at once: one output row an operation. What is saturated is added to zero: the sign of a saturated zero is open.
#include <cuda_fp16.h>

extern "C" __global__ void half_pairs(const __half2 *a, const __half2 *b, const __half2 *c, __half2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 x = a[i], y = b[i], z = c[i], zero = __float2half2_rn(0.0f);
    out[0 * n + i] = __hadd2(x, y);
    out[1 * n + i] = __hsub2(x, y);
    out[2 * n + i] = __hmul2(x, y);
    out[3 * n + i] = __hfma2(x, y, z);
    out[4 * n + i] = __hadd2(__hadd2_sat(x, y), zero);
    out[5 * n + i] = __hadd2(__hmul2_sat(x, y), zero);
    out[6 * n + i] = __hadd2(__hfma2_sat(x, y, z), zero);
    out[7 * n + i] = __hneg2(x);
    out[8 * n + i] = __habs2(x);
    out[9 * n + i] = __hgt2(x, y);
    out[10 * n + i] = __hmin2(x, y);
    out[11 * n + i] = __hmax2(x, y);
    out[12 * n + i] = __hadd2(__hfma2_relu(x, y, z), zero);
    out[13 * n + i] = __lowhigh2highlow(x);
    out[14 * n + i] = __halves2half2(__low2half(x), __high2half(y));
    float2 wide = __half22float2(x);
    out[15 * n + i] = __floats2half2_rn(wide.x * 1.001f, wide.y * 0.999f);
}
