// Loads and stores with hints for the caches, which change nothing but time: policies, priorities, prefetches, streams.
extern "C" __global__ void cache_hints(const int4 *in, int4 *out, int *discarded, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    asm volatile("prefetchu.L1 [%0];" ::"l"(in + i));
    if (i >= n)
        return;
    unsigned long long policy, first;
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 0x100, 0x400;" : "=l"(first) : "l"(__cvta_generic_to_global(in)));
    int4 a = __ldg(in + i), b = __ldcs(in + i), c = __ldlu(in + i), d = __ldcv(in + i), e;
    asm volatile("ld.global.nc.L1::evict_last.L2::cache_hint.L2::128B.v4.s32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(e.x), "=r"(e.y), "=r"(e.z), "=r"(e.w)
                 : "l"(in + i), "l"(policy));
    int4 sum = make_int4(a.x + b.y, b.z + c.x, c.w + d.y, d.z + e.w);
    if (i % 2)
        __stcs(out + i, sum);
    else
        asm volatile("st.global.L1::no_allocate.L2::cache_hint.v4.b32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(out + i), "r"(sum.x), "r"(sum.y),
                     "r"(sum.z), "r"(sum.w), "l"(first)
                     : "memory");
    if (i == 0) {
        asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in));
        asm volatile("discard.global.L2 [%0], 128;" ::"l"(discarded));
    }
}
