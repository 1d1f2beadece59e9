// A filter of any length over a signal, with a block's part of it in shared memory: C for the nvptx target, without CUDA.
#define shared __attribute__((address_space(3)))
#define global __attribute__((address_space(1)))

enum { threads = 64, longest = 32 };

static shared float part[threads + longest];

__attribute__((nvptx_kernel)) void fir(const global float *signal, const global float *taps, global float *out, int n, int length) {
    int thread = __nvvm_read_ptx_sreg_tid_x(), first = __nvvm_read_ptx_sreg_ctaid_x() * threads;
    for (int i = thread; i < threads + length - 1; i += threads)
        part[i] = first + i < n + length - 1 ? signal[first + i] : 0.0f;
    __nvvm_bar_sync(0);
    float sum = 0.0f;
    for (int i = 0; i < length; i++)
        sum = __builtin_fmaf(part[thread + i], taps[i], sum);
    if (first + thread < n)
        out[first + thread] = sum;
}

// The same by recursion in a loop over f64: y[i] = x[i] - a y[i - 1] - b y[i - 2] of each row.
__attribute__((nvptx_kernel)) void iir(const global double *signal, global double *out, int columns, double a, double b) {
    int row = __nvvm_read_ptx_sreg_tid_x();
    double last = 0, before = 0;
    for (int i = 0; i < columns; i++) {
        double y = __builtin_fma(-b, before, __builtin_fma(-a, last, signal[row * columns + i]));
        out[row * columns + i] = y;
        before = last;
        last = y;
    }
}
