// The same rows in C with every operation written out; intrinsics by their definitions.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

static int64_t signed24(uint32_t x) { return (int32_t)(x << 8) >> 8; }
static int64_t distance(int64_t x, int64_t y) { return x > y ? x - y : y - x; }
static uint32_t umin(uint32_t x, uint32_t y) { return x < y ? x : y; }

static uint32_t reverse32(uint32_t x) {
    uint32_t result = 0;
    for (int i = 0; i < 32; i++)
        result |= (x >> i & 1) << (31 - i);
    return result;
}

static uint64_t reverse64(uint64_t x) { return (uint64_t)reverse32((uint32_t)x) << 32 | reverse32((uint32_t)(x >> 32)); }

static uint32_t permute(uint32_t x, uint32_t y, uint32_t selector) {
    uint64_t bytes = (uint64_t)y << 32 | x;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++)
        result |= (uint32_t)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

static int32_t s8(uint32_t x, int i) { return (int8_t)(x >> 8 * i); }
static uint32_t u8(uint32_t x, int i) { return (uint8_t)(x >> 8 * i); }
static int32_t s16(uint32_t x, int i) { return (int16_t)(x >> 16 * i); }
static uint32_t u16(uint32_t x, int i) { return (uint16_t)(x >> 16 * i); }
static int32_t clamp16(int32_t x) { return x < -32768 ? -32768 : x > 32767 ? 32767 : x; }

// A field of `length` bits from bit `start`; past the end of the word there are zeros or copies of the sign.
static uint32_t extract(uint32_t x, uint32_t start, uint32_t length, int is_signed) {
    start &= 0xff, length &= 0xff;
    if (length == 0)
        return 0;
    uint32_t last = umin(start + length - 1, 31), sign = is_signed ? x >> last & 1 : 0, result = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t bit = i < length && start + i < 32 ? x >> (start + i) & 1 : sign;
        result |= bit << i;
    }
    return result;
}

static uint32_t insert(uint32_t field, uint32_t into, uint32_t start, uint32_t length) {
    start &= 0xff, length &= 0xff;
    for (uint32_t i = 0; i < length && start + i < 32; i++)
        into = (into & ~(1u << (start + i))) | (field >> i & 1) << (start + i);
    return into;
}

void words(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t x = a[i], y = b[i], z = c[i];
        int32_t sx = x, sy = y, sz = z;
        uint32_t *to = out + i;
#define put(value) (*to = (uint32_t)(value), to += n)
        put(x + y), put(x - y), put(x * y);
        put((uint64_t)x * y >> 32), put((int64_t)sx * sy >> 32);
        put((uint64_t)(x & 0xffffff) * (y & 0xffffff)), put(signed24(x) * signed24(y));
        put(y ? x / y : 1), put(y ? x % y : 2);
        int defined = sy != 0 && !(sx == INT32_MIN && sy == -1);
        put(defined ? sx / sy : 3), put(defined ? sx % sy : 4);
        put(x / 7), put(x % 1000), put(sx / 10), put(sx % -3);
        put(umin(x, y)), put(x > y ? x : y), put(sx < sy ? sx : sy), put(sx > sy ? sx : sy);
        put(distance(sx, sy) + z), put(distance(x, y) + z);
        put(((int64_t)sx + sy) >> 1), put(((int64_t)sx + sy + 1) >> 1), put(((uint64_t)x + y) >> 1), put(((uint64_t)x + y + 1) >> 1);
        put(x & y), put(x | y), put(x ^ y), put(~x), put((x & y) | (~x & z));
        put(x << (y & 31)), put(x >> (y & 31)), put(sx >> (y & 31));
        uint64_t pair = (uint64_t)y << 32 | x;
        put(pair << (z & 31) >> 32), put(pair >> (z & 31)), put(pair << umin(z, 32) >> 32), put(pair >> umin(z, 32));
        put(x ? __builtin_clz(x) : 32), put(__builtin_popcount(x)), put(reverse32(x)), put(__builtin_ffs(sx));
        put(permute(x, y, z));
        uint32_t signed_dot = z, unsigned_dot = z, signed_low = z, unsigned_high = z, add = 0, difference = 0, above = 0, average = 0;
        for (int j = 0; j < 4; j++) {
            signed_dot += s8(x, j) * s8(y, j), unsigned_dot += u8(x, j) * u8(y, j);
            add |= ((u8(x, j) + u8(y, j)) & 0xff) << 8 * j;
            difference |= (uint32_t)distance(u8(x, j), u8(y, j)) << 8 * j;
            above |= (u8(x, j) > u8(y, j) ? 0xffu : 0) << 8 * j;
            average |= (u8(x, j) + u8(y, j) + 1) / 2 << 8 * j;
        }
        uint32_t maximum = 0, saturated = 0;
        for (int j = 0; j < 2; j++) {
            signed_low += s16(x, j) * s8(y, j), unsigned_high += u16(x, j) * u8(y, j + 2);
            maximum |= ((s16(x, j) > s16(y, j) ? s16(x, j) : s16(y, j)) & 0xffffu) << 16 * j;
            saturated |= (clamp16(s16(x, j) - s16(y, j)) & 0xffffu) << 16 * j;
        }
        put(signed_dot), put(unsigned_dot), put(signed_low), put(unsigned_high);
        put(add), put(difference), put(maximum), put(above), put(average), put(saturated);
        put(sx < 0 ? 0 - x : x), put(sx > sy ? z : 0 - z), put(s8(x, 0) * s16(y, 0)), put((uint64_t)u16(x, 0) * u16(y, 0));
        put(z > 31 ? 0 : x << z), put(sx >> umin(z, 31));
        put(extract(x, y, z, 0)), put(extract(x, y, z, 1)), put(insert(x, y, z & 31, z >> 8));
        (void)sz;
#undef put
    }
}

void longs(const uint64_t *a, const uint64_t *b, uint64_t *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = a[i], y = b[i];
        int64_t sx = x, sy = y;
        uint64_t *to = out + i;
#define put(value) (*to = (uint64_t)(value), to += n)
        put(x + y), put(x - y), put(x * y);
        put((u128)x * y >> 64), put((s128)sx * sy >> 64);
        put(y ? x / y : 1), put(y ? x % y : 2);
        int defined = sy != 0 && !(sx == INT64_MIN && sy == -1);
        put(defined ? sx / sy : 3), put(defined ? sx % sy : 4);
        put(x / 1000000007), put(sx % 12345678901);
        put(x < y ? x : y), put(x > y ? x : y), put(sx < sy ? sx : sy), put(sx > sy ? sx : sy);
        put(x << (y & 63)), put(x >> (y & 63)), put(sx >> (y & 63));
        put(x ? __builtin_clzll(x) : 64), put(__builtin_popcountll(x)), put(reverse64(x)), put(__builtin_ffsll(sx));
        u128 wide = (u128)x * y + ((u128)y << 64 | x);
        put(wide), put(wide >> 64), put(wide >> (x & 127)), put((wide << (y & 127)) >> 64);
        s128 product = (s128)sx * sy - sx;
        put(product >> 60), put(product < 0), put(wide > (u128)product);
        put(sx > sy ? (int32_t)x : (int64_t)(int8_t)y);
#undef put
    }
}
