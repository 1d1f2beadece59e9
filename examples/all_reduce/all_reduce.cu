// Sums of what several devices hold, left on each of them: every device adds up its share of all arrays by loads that reduce, and
// stores it to all. Here one grid does the work of all devices, `blockIdx.y` is the device.

__device__ float4 load_sum(const float4 *from) {
    float4 sum;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(sum.x), "=f"(sum.y), "=f"(sum.z), "=f"(sum.w) : "l"(from) : "memory");
    return sum;
}

__device__ void store_to_all(float4 *to, float4 x) {
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "l"(to), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w) : "memory");
}

// `arrays` is a multicast address; `vectors` of four are on each device.
extern "C" __global__ void all_reduce(float4 *arrays, unsigned *finished, int vectors) {
    int share = vectors / gridDim.y, first = blockIdx.y * share;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < share; i += gridDim.x * blockDim.x)
        store_to_all(arrays + first + i, load_sum(arrays + first + i));
    __syncthreads();
    if (threadIdx.x == 0) // every device counts the blocks that are done
        asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" :: "l"(finished) : "memory");
}
