// Runs one OpenCL kernel on the first device and prints the best time of several runs:
//
//     host FILE.cl KERNEL GLOBAL LOCAL ARGUMENT...
//
// GLOBAL and LOCAL are sizes as X or X,Y. An ARGUMENT is f32:COUNT (a buffer of floats from 0 to 1), u32:COUNT (a buffer
// of zeros), i:NUMBER or f:NUMBER. RUNS in the environment sets the number of runs (3). Build: gcc -O2 host.c -lOpenCL.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>

#include "../c/bench.h"

static void check(cl_int status, const char *what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, status);
        exit(1);
    }
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    if (fread(text, 1, *length, file) != *length)
        exit(1);
    fclose(file);
    text[*length] = 0;
    return text;
}

static cl_uint sizes(const char *text, size_t *size) {
    char *end;
    size[0] = strtoull(text, &end, 10);
    if (*end != ',')
        return 1;
    size[1] = strtoull(end + 1, NULL, 10);
    return 2;
}

// Sets an argument; a buffer is created with its contents.
static void set_argument(cl_context context, cl_kernel kernel, cl_uint index, const char *text) {
    const char *value = strchr(text, ':');
    if (!value) {
        fprintf(stderr, "argument %s is not f32:COUNT, u32:COUNT, i:NUMBER or f:NUMBER\n", text);
        exit(1);
    }
    value++;
    if (text[1] == ':') {
        cl_int integer = (cl_int)strtoll(value, NULL, 10);
        cl_float real = strtof(value, NULL);
        check(clSetKernelArg(kernel, index, 4, text[0] == 'i' ? (void *)&integer : (void *)&real), text);
        return;
    }
    size_t count = strtoull(value, NULL, 10);
    float *data = calloc(count, 4);
    if (text[0] == 'f')
        fill(data, count);
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * 4, data, &status);
    check(status, text);
    free(data);
    check(clSetKernelArg(kernel, index, sizeof buffer, &buffer), text);
}

int main(int count, char **arguments) {
    if (count < 5) {
        fprintf(stderr, "usage: host FILE.cl KERNEL GLOBAL LOCAL ARGUMENT...\n");
        return 2;
    }
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "queue");
    size_t length, global[2], local[2];
    const char *source = read_file(arguments[1], &length);
    cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, arguments[2], &status);
    check(status, "kernel");
    cl_uint dimensions = sizes(arguments[3], global);
    sizes(arguments[4], local);
    for (int i = 5; i < count; i++)
        set_argument(context, kernel, (cl_uint)i - 5, arguments[i]);
    const char *runs = getenv("RUNS");
    double best = 1e30;
    for (int i = runs ? atoi(runs) : 3; i > 0; i--) {
        double start = now();
        check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL), "launch");
        check(clFinish(queue), "finish");
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    printf("%.6f\n", best);
    return 0;
}
