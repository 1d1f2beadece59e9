// Calls through a table of function pointers; the lanes of a warp call different functions, some of which call others.
using Binary = int (*)(int, int);

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ int remainder(int a, int b) { return b ? a % b : a; }
__device__ __noinline__ int greatest_common_divisor(int a, int b) {
    while (b) {
        int rest = remainder(a, b);
        a = b, b = rest;
    }
    return a;
}
__device__ __noinline__ int power(int a, int b) {
    int result = 1;
    for (int i = 0; i < (b & 15); i++)
        result = multiply(result, a);
    return result;
}

__device__ Binary operations[] = {add, subtract, multiply, remainder, greatest_common_divisor, power};

struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Rectangle : Shape {
    int width, height;
    __device__ Rectangle(int width, int height) : width(width), height(height) {}
    __device__ int area() const override { return width * height; }
};

extern "C" __global__ void function_table(const unsigned char *codes, const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = operations[codes[i]](a[i], b[i]);
}

// A fold that applies a function chosen at run time, and one given to it as an argument.
__device__ __noinline__ int fold(Binary function, const int *values, int n, int start) {
    for (int i = 0; i < n; i++)
        start = function(start, values[i]);
    return start;
}

extern "C" __global__ void folds(const int *values, int *out, int n) {
    out[threadIdx.x] = fold(operations[threadIdx.x % 6], values, n, threadIdx.x);
}

extern "C" __global__ void shapes(int *out, int n) {
    int i = threadIdx.x;
    Square square(i);
    Rectangle rectangle(i, 3);
    const Shape *shape = i % 2 ? static_cast<const Shape *>(&square) : &rectangle;
    if (i < n)
        out[i] = shape->area();
}
