// Conversions to and from the 8, 6 and 4-bit formats of sm_100: every value of each format to f16, and floats to each
// format, rounded to nearest and saturated.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

// The bits of an f16, the same for every NaN.
__device__ unsigned short one_nan(__half_raw half) { return (half.x & 0x7fff) > 0x7c00 ? 0x7fff : half.x; }

extern "C" __global__ void widen(unsigned short *e4m3, unsigned short *e5m2, unsigned short *e2m3, unsigned short *e3m2, unsigned short *e2m1, float *ue8m0) {
    unsigned char bits = threadIdx.x;
    e4m3[bits] = one_nan(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3));
    e5m2[bits] = one_nan(__nv_cvt_fp8_to_halfraw(bits, __NV_E5M2));
    if (bits != 255)
        ue8m0[bits] = __bfloat162float(__nv_cvt_e8m0_to_bf16raw(bits));
    if (bits < 64) {
        e2m3[bits] = one_nan(__nv_cvt_fp6_to_halfraw(bits, __NV_E2M3));
        e3m2[bits] = one_nan(__nv_cvt_fp6_to_halfraw(bits, __NV_E3M2));
    }
    if (bits < 16)
        e2m1[bits] = one_nan(__nv_cvt_fp4_to_halfraw(bits, __NV_E2M1));
}

extern "C" __global__ void narrow(const float2 *in, unsigned short *e4m3, unsigned short *e5m2, unsigned short *e2m3, unsigned short *e3m2,
                                  unsigned char *e2m1, unsigned short *ue8m0, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 value = in[i];
    e4m3[i] = __nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, __NV_E4M3);
    e5m2[i] = __nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, __NV_E5M2);
    e2m3[i] = __nv_cvt_float2_to_fp6x2(value, __NV_E2M3, cudaRoundNearest);
    e3m2[i] = __nv_cvt_float2_to_fp6x2(value, __NV_E3M2, cudaRoundNearest);
    e2m1[i] = __nv_cvt_float2_to_fp4x2(value, __NV_E2M1, cudaRoundNearest);
    ue8m0[i] = __nv_cvt_float2_to_e8m0x2(make_float2(fabsf(value.x), fabsf(value.y)), __NV_SATFINITE, cudaRoundPosInf);
}
