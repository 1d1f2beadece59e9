// What AMD's compilers need a stack for, in OpenCL C compiled without optimization: private arrays, calls, functions whose address is taken, and addresses of
// which only the program knows whether they are of global, local or private memory. Indices come from the compiler's builtins.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#define SIZE 64u
#define ITEM ((uint)__builtin_amdgcn_workitem_id_x())
#define ID ((uint)__builtin_amdgcn_workgroup_id_x() * SIZE + ITEM)
#define BARRIER() (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))

// An insertion sort of 19 of 512 numbers for each item; the sorted numbers as digits of a number, and one of them.
kernel void private_sort(global const int *x, global int *out) {
    int sorted[19];
    uint id = ID;
    for (int i = 0; i < 19; i++)
        sorted[i] = x[(id * 7 + i * 13) & 511];
    for (int i = 1; i < 19; i++) {
        int value = sorted[i], at = i - 1;
        for (; at >= 0 && sorted[at] > value; at--)
            sorted[at + 1] = sorted[at];
        sorted[at + 1] = value;
    }
    int digits = 0;
    for (int i = 0; i < 19; i++)
        digits = digits * 31 + sorted[i];
    out[id] = digits;
    out[256 + id] = sorted[id % 19];
}

int sum(int a, int b) { return a + b; }
int difference(int a, int b) { return a - b; }
int product(int a, int b) { return a * b; }
int mixed(int a, int b) { return a ^ b << 3; }

// Each item calls the function that its number chooses, then the group's.
kernel void pointers(global const int *x, global const int *y, global int *out) {
    int (*functions[4])(int, int) = {sum, difference, product, mixed};
    uint id = ID;
    int first = functions[x[id] & 3](x[id], y[id]);
    out[id] = functions[id / SIZE & 3](first, y[id]);
}

uint bump(uint *place, uint value) {
    uint old = *place;
    *place = old * 3 + value;
    return old;
}

uint add(uint *place, uint value) { return __atomic_fetch_add(place, value, __ATOMIC_RELAXED); }

// The same functions on places in local, private and global memory, by the number.
kernel void anywhere(global const uint *x, global uint *places, global uint *out) {
    local uint shared[SIZE];
    uint own[4] = {x[ID], 1, 2, 3};
    uint id = ID, value = x[id];
    shared[ITEM] = id;
    places[id] = id * 5;
    BARRIER();
    uint *place = value % 3 == 0 ? (uint *)&shared[ITEM] : value % 3 == 1 ? (uint *)&own[value & 3] : (uint *)&places[id];
    uint result = bump(place, value);
    result += *place;
    uint *counter = value & 64 ? (uint *)&shared[ITEM] : (uint *)&places[id];
    result = result * 7 + add(counter, 9);
    result += *counter;
    BARRIER();
    out[id] = result + shared[ITEM] * 11 + own[0] * 13 + own[1] + own[2] * 17 + own[3] * 19 + places[id] * 23;
}
