/* Expectations for the unsigned formats of scale factors, from the host code of CUDA's cuda_fp8.h.

   Prints for ue5m3 and ue8m0, for each rounding and with and without saturation, a 64-bit FNV-1a hash over the results for the singles
   whose upper half is 0 to 65535 and whose lower half is each of LOW (upper half slowest), NaN among them.

   Usage: c++ -O2 -I cuda/include scale_formats.cpp && ./a.out > scale_formats.txt */

#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda_fp8.h>

static const uint32_t LOW[] = {0x0000, 0x0001, 0x7fff, 0x8000, 0xffff};

typedef __nv_fp8_storage_t (*conversion)(float, __nv_saturation_t, cudaRoundMode);

static uint64_t hash(conversion convert, __nv_saturation_t saturation, cudaRoundMode rounding)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint32_t high = 0; high < 0x10000; high++) {
        for (uint32_t low : LOW) {
            const uint32_t bits = high << 16 | low;
            float x;

            std::memcpy(&x, &bits, 4);
            hash = (hash ^ convert(x, saturation, rounding)) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static void print(const char *format, conversion convert)
{
    static const struct { const char *name; cudaRoundMode mode; } roundings[] = {
        {"rn", cudaRoundNearest}, {"rz", cudaRoundZero}, {"rp", cudaRoundPosInf}};

    for (auto rounding : roundings) {
        std::printf("%s %s %016llx\n", format, rounding.name,
                    (unsigned long long)hash(convert, __NV_NOSAT, rounding.mode));
        std::printf("%s %s.satfinite %016llx\n", format, rounding.name,
                    (unsigned long long)hash(convert, __NV_SATFINITE, rounding.mode));
    }
}

int main()
{
    std::printf("# cuda_fp8.h of CUDA %d.%d; made by scale_formats.cpp\n", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    print("ue5m3", __nv_cvt_float_to_ue5m3);
    print("ue8m0", __nv_cvt_float_to_e8m0);
    return 0;
}
