// Images and samplers of OpenCL on AMD's GPUs. What ROCm's device library does for read_imagef and its kin is done here with LLVM's intrinsics: a kernel gets
// the addresses of descriptors, and image instructions take what lies there.
typedef int descriptor __attribute__((ext_vector_type(8)));
#define IMAGE(image) (*__builtin_astype(image, constant descriptor *))
#define SAMPLER(sampler) (*__builtin_astype(sampler, constant int4 *))
#define X ((int)(__builtin_amdgcn_workgroup_id_x() * 16 + __builtin_amdgcn_workitem_id_x()))
#define Y ((int)(__builtin_amdgcn_workgroup_id_y() * 16 + __builtin_amdgcn_workitem_id_y()))

typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int4 __attribute__((ext_vector_type(4)));

float4 load2(int mask, int x, int y, descriptor image, int fails, int cache) __asm("llvm.amdgcn.image.load.2d.v4f32.i32.v8i32");
int4 load3(int mask, int x, int y, int z, descriptor image, int fails, int cache) __asm("llvm.amdgcn.image.load.3d.v4i32.i32.v8i32");
int4 load_slice(int mask, int x, int y, int slice, descriptor image, int fails, int cache) __asm("llvm.amdgcn.image.load.2darray.v4i32.i32.v8i32");
void store2(float4 value, int mask, int x, int y, descriptor image, int fails, int cache) __asm("llvm.amdgcn.image.store.2d.v4f32.i32.v8i32");
void store_integers(int4 value, int mask, int x, int y, descriptor image, int fails, int cache) __asm("llvm.amdgcn.image.store.2d.v4i32.i32.v8i32");
float4 sample2(int mask, float x, float y, descriptor image, int4 sampler, bool texels, int fails, int cache)
    __asm("llvm.amdgcn.image.sample.lz.2d.v4f32.f32.v8i32.v4i32");
float4 size2(int mask, int level, descriptor image, int fails, int cache) __asm("llvm.amdgcn.image.getresinfo.2d.v4f32.i32.v8i32");

// Where an item is, if it is inside of an image.
#define INSIDE(image, at) \
    int4 size = __builtin_astype(size2(15, 0, IMAGE(image), 0, 0), int4); \
    int2 at = {X, Y}; \
    if (at.x >= size.x || at.y >= size.y) \
        return
typedef int int2 __attribute__((ext_vector_type(2)));

// The mean of a texel and the eight around it, by the nearest texels of a sampler whose coordinates count texels.
kernel void box(read_only image2d_t in, sampler_t nearest, write_only image2d_t out) {
    INSIDE(out, at);
    float4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += sample2(15, at.x + x + 0.5f, at.y + y + 0.5f, IMAGE(in), SAMPLER(nearest), 0, 0, 0);
    store2(sum * 0.125f, 15, at.x, at.y, IMAGE(out), 0, 0);
}

// The same of texels that are loaded: those outside are zero.
kernel void loaded_box(read_only image2d_t in, write_only image2d_t out) {
    INSIDE(out, at);
    float4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += load2(15, at.x + x, at.y + y, IMAGE(in), 0, 0);
    store2(sum * 0.125f, 15, at.x, at.y, IMAGE(out), 0, 0);
}

// An image of another size, by a linear filter.
kernel void resize(read_only image2d_t in, sampler_t linear, write_only image2d_t out) {
    INSIDE(out, at);
    float x = (at.x + 0.5f) / size.x, y = (at.y + 0.5f) / size.y;
    store2(sample2(15, x, y, IMAGE(in), SAMPLER(linear), 0, 0, 0), 15, at.x, at.y, IMAGE(out), 0, 0);
}

// From one format to another one.
kernel void convert(read_only image2d_t in, write_only image2d_t out) {
    INSIDE(out, at);
    store2(load2(15, at.x, at.y, IMAGE(in), 0, 0), 15, at.x, at.y, IMAGE(out), 0, 0);
}

// Sums along the third coordinate, and the largest number of all slices.
kernel void project(read_only image3d_t volume, read_only image2d_array_t slices, write_only image2d_t out, int depth) {
    INSIDE(out, at);
    int4 result = 0;
    for (int z = 0; z < depth; z++) {
        result.x += load3(15, at.x, at.y, z, IMAGE(volume), 0, 0).x;
        int number = load_slice(15, at.x, at.y, z, IMAGE(slices), 0, 0).x;
        result.y = number > result.y ? number : result.y;
    }
    store_integers(result, 15, at.x, at.y, IMAGE(out), 0, 0);
}
