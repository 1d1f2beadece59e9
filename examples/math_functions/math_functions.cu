// CUDA's mathematical functions, which nvcc compiles to sequences of plain instructions: an output row a function.
extern "C" __global__ void singles(const float *in, const float *second, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], y = second[i], s, c;
    out += i;
    auto put = [&](float value) { *out = value, out += n; };
    sincosf(x, &s, &c);
    put(s), put(c), put(sinf(__fmul_rn(x, 1e6f))), put(tanf(x)), put(asinf(y)), put(acosf(y)), put(atanf(x)), put(atan2f(x, y));
    put(expf(x)), put(exp2f(x)), put(exp10f(x)), put(expm1f(y)), put(logf(fabsf(x))), put(log2f(fabsf(x))), put(log1pf(fabsf(y)));
    put(powf(fabsf(x), y)), put(sinhf(x)), put(coshf(x)), put(tanhf(x)), put(asinhf(x)), put(erff(y)), put(erfcf(y)), put(cbrtf(x)), put(hypotf(x, y));
    put(rsqrtf(fabsf(x))), put(normcdff(y)), put(sinpif(y)), put(tgammaf(x)), put(j0f(y));
}

extern "C" __global__ void doubles(const double *in, const double *second, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = in[i], y = second[i], s, c;
    out += i;
    auto put = [&](double value) { *out = value, out += n; };
    sincos(x, &s, &c);
    put(s), put(c), put(sin(__dmul_rn(x, 1e12))), put(tan(x)), put(asin(y)), put(atan2(x, y));
    put(exp(x)), put(exp2(x)), put(expm1(y)), put(log(fabs(x))), put(log2(fabs(x))), put(log1p(fabs(y)));
    put(pow(fabs(x), y)), put(sinh(x)), put(tanh(x)), put(erf(y)), put(cbrt(x)), put(hypot(x, y)), put(rsqrt(fabs(x))), put(tgamma(x));
}
