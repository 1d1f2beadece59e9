// Integer arithmetic on edge values: an output row an operation, 32 and 64 bits wide.
#include <stdint.h>

extern "C" __global__ void words(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t x = a[i], y = b[i], z = c[i];
    int32_t sx = x, sy = y, sz = z;
    out += i;
    auto put = [&](uint32_t value) { *out = value, out += n; };
    put(x + y), put(x - y), put(x * y);
    put(__umulhi(x, y)), put(__mulhi(sx, sy));
    put(__umul24(x, y)), put(__mul24(sx, sy));
    put(y ? x / y : 1), put(y ? x % y : 2);
    bool defined = sy != 0 && !(sx == INT32_MIN && sy == -1);
    put(defined ? sx / sy : 3), put(defined ? sx % sy : 4);
    put(x / 7), put(x % 1000), put(sx / 10), put(sx % -3);
    put(min(x, y)), put(max(x, y)), put(min(sx, sy)), put(max(sx, sy));
    put(__sad(sx, sy, z)), put(__usad(x, y, z));
    put(__hadd(sx, sy)), put(__rhadd(sx, sy)), put(__uhadd(x, y)), put(__urhadd(x, y));
    put(x & y), put(x | y), put(x ^ y), put(~x), put((x & y) | (~x & z));
    put(x << (y & 31)), put(x >> (y & 31)), put(sx >> (y & 31));
    put(__funnelshift_l(x, y, z)), put(__funnelshift_r(x, y, z)), put(__funnelshift_lc(x, y, z)), put(__funnelshift_rc(x, y, z));
    put(__clz(x)), put(__popc(x)), put(__brev(x)), put(__ffs(x));
    put(__byte_perm(x, y, z));
    put(__dp4a(sx, sy, sz)), put(__dp4a(x, y, z)), put(__dp2a_lo(sx, sy, sz)), put(__dp2a_hi(x, y, z));
    put(__vadd4(x, y)), put(__vabsdiffu4(x, y)), put(__vmaxs2(x, y)), put(__vcmpgtu4(x, y)), put(__vavgu4(x, y)), put(__vsubss2(x, y));
    put(abs(sx)), put(sx > sy ? sz : -sz), put(static_cast<int8_t>(x) * static_cast<int16_t>(y)), put(static_cast<uint16_t>(x) * static_cast<uint16_t>(y));
    uint32_t shift;
    asm("shl.b32 %0, %1, %2;" : "=r"(shift) : "r"(x), "r"(z));
    put(shift);
    asm("shr.s32 %0, %1, %2;" : "=r"(shift) : "r"(x), "r"(z));
    put(shift);
    uint32_t field;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(y), "r"(z));
    put(field);
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(y), "r"(z));
    put(field);
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(field) : "r"(x), "r"(y), "r"(z & 31), "r"(z >> 8));
    put(field);
}

extern "C" __global__ void longs(const uint64_t *a, const uint64_t *b, uint64_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint64_t x = a[i], y = b[i];
    int64_t sx = x, sy = y;
    out += i;
    auto put = [&](uint64_t value) { *out = value, out += n; };
    put(x + y), put(x - y), put(x * y);
    put(__umul64hi(x, y)), put(__mul64hi(sx, sy));
    put(y ? x / y : 1), put(y ? x % y : 2);
    bool defined = sy != 0 && !(sx == INT64_MIN && sy == -1);
    put(defined ? sx / sy : 3), put(defined ? sx % sy : 4);
    put(x / 1000000007), put(sx % 12345678901);
    put(min(x, y)), put(max(x, y)), put(min(sx, sy)), put(max(sx, sy));
    put(x << (y & 63)), put(x >> (y & 63)), put(sx >> (y & 63));
    put(__clzll(x)), put(__popcll(x)), put(__brevll(x)), put(__ffsll(x));
    unsigned __int128 wide = static_cast<unsigned __int128>(x) * y + (static_cast<unsigned __int128>(y) << 64 | x);
    put(wide), put(wide >> 64), put(wide >> (x & 127)), put((wide << (y & 127)) >> 64);
    __int128 product = static_cast<__int128>(sx) * sy - sx;
    put(product >> 60), put(product < 0), put(wide > static_cast<unsigned __int128>(product));
    put(sx > sy ? static_cast<int32_t>(x) : static_cast<int64_t>(static_cast<int8_t>(y)));
}
