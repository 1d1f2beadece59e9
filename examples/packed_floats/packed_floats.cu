// Pairs of f32 in 64-bit registers (sm_100): sums, products and fma in the four rounding modes; an output row each.
extern "C" __global__ void packed_floats(const float2 *a, const float2 *b, const float2 *c, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 x = a[i], y = b[i], z = c[i];
    out += i;
    auto put = [&](float2 value) { *out = value, out += n; };
    put(__fadd2_rn(x, y)), put(__fadd2_rz(x, y)), put(__fadd2_rd(x, y)), put(__fadd2_ru(x, y));
    put(__fmul2_rn(x, y)), put(__fmul2_rz(x, y)), put(__fmul2_rd(x, y)), put(__fmul2_ru(x, y));
    put(__ffma2_rn(x, y, z)), put(__ffma2_rz(x, y, z)), put(__ffma2_rd(x, y, z)), put(__ffma2_ru(x, y, z));
}
