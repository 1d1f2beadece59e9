// f32 and f64 arithmetic in all rounding modes on edge values: an output row an operation. Every NaN is written as one.
template <typename T> __device__ T one_nan(T value);
template <> __device__ float one_nan(float value) { return value != value ? __int_as_float(0x7fffffff) : value; }
template <> __device__ double one_nan(double value) { return value != value ? __longlong_as_double(0x7fffffffffffffff) : value; }

extern "C" __global__ void singles(const float *a, const float *b, const float *c, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i], y = b[i], z = c[i];
    out += i;
    auto put = [&](float value) { *out = one_nan(value), out += n; };
    put(__fadd_rn(x, y)), put(__fadd_rz(x, y)), put(__fadd_rd(x, y)), put(__fadd_ru(x, y));
    put(__fsub_rn(x, y)), put(__fsub_rz(x, y)), put(__fsub_rd(x, y)), put(__fsub_ru(x, y));
    put(__fmul_rn(x, y)), put(__fmul_rz(x, y)), put(__fmul_rd(x, y)), put(__fmul_ru(x, y));
    put(__fdiv_rn(x, y)), put(__fdiv_rz(x, y)), put(__fdiv_rd(x, y)), put(__fdiv_ru(x, y));
    put(__fsqrt_rn(x)), put(__fsqrt_rz(x)), put(__fsqrt_rd(x)), put(__fsqrt_ru(x));
    put(__frcp_rn(x)), put(__frcp_rz(x)), put(__frcp_rd(x)), put(__frcp_ru(x));
    put(__fmaf_rn(x, y, z)), put(__fmaf_rz(x, y, z)), put(__fmaf_rd(x, y, z)), put(__fmaf_ru(x, y, z));
    put(fminf(x, y)), put(fmaxf(x, y)), put(fabsf(x)), put(-x), put(copysignf(x, y)), put(__saturatef(x) + 0.0f);
    put(floorf(x)), put(ceilf(x)), put(truncf(x)), put(rintf(x)), put(roundf(x));
    put(fmodf(x, y)), put(fdimf(x, y)), put(nextafterf(x, y)), put(ldexpf(x, static_cast<int>(y) % 300));
    put(isfinite(x)), put(signbit(x) != 0), put(x < y), put(x <= y), put(x == y), put(x != y), put(isnan(x) || isnan(y));
}

extern "C" __global__ void doubles(const double *a, const double *b, const double *c, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = a[i], y = b[i], z = c[i];
    out += i;
    auto put = [&](double value) { *out = one_nan(value), out += n; };
    put(__dadd_rn(x, y)), put(__dadd_rz(x, y)), put(__dadd_rd(x, y)), put(__dadd_ru(x, y));
    put(__dsub_rn(x, y)), put(__dsub_rz(x, y)), put(__dsub_rd(x, y)), put(__dsub_ru(x, y));
    put(__dmul_rn(x, y)), put(__dmul_rz(x, y)), put(__dmul_rd(x, y)), put(__dmul_ru(x, y));
    put(__ddiv_rn(x, y)), put(__ddiv_rz(x, y)), put(__ddiv_rd(x, y)), put(__ddiv_ru(x, y));
    put(__dsqrt_rn(x)), put(__dsqrt_rz(x)), put(__dsqrt_rd(x)), put(__dsqrt_ru(x));
    put(__drcp_rn(x)), put(__drcp_rz(x)), put(__drcp_rd(x)), put(__drcp_ru(x));
    put(__fma_rn(x, y, z)), put(__fma_rz(x, y, z)), put(__fma_rd(x, y, z)), put(__fma_ru(x, y, z));
    put(fmin(x, y)), put(fmax(x, y)), put(fabs(x)), put(-x), put(copysign(x, y));
    put(floor(x)), put(ceil(x)), put(trunc(x)), put(rint(x)), put(round(x));
    put(fmod(x, y)), put(fdim(x, y)), put(nextafter(x, y)), put(ldexp(x, static_cast<int>(y) % 2000));
    put(isfinite(x)), put(signbit(x) != 0), put(x < y), put(x <= y), put(x == y), put(x != y), put(isnan(x) || isnan(y));
}
