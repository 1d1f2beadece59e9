// A stack machine: each thread interprets its own program, so the lanes of a warp take different cases of a switch, and
// the stack is an indexed array in local memory.
enum Code : unsigned char { push, duplicate, swap, add, subtract, multiply, less, choose, jump_back, skip_if_zero, increment, load, store, negate, finish };

extern "C" __global__ void interpret(const unsigned char *programs, int *results, unsigned *steps, int length, unsigned limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned char *program = programs + i * length;
    int stack[16] = {}, memory[4] = {i, 1, 2, 3};
    unsigned top = 0, at = 0, count = 0;
    auto pop = [&] { return stack[top-- & 15]; };
    auto put = [&](int value) { stack[++top & 15] = value; };
    for (bool running = true; running && count < limit; count++) {
        unsigned code = program[at], operand = program[at + 1];
        at = (at + 2) % length;
        switch (code) {
        case push: put(operand - 100); break;
        case duplicate: put(stack[top & 15]); break;
        case swap: { int a = pop(), b = pop(); put(a), put(b); break; }
        case add: { int a = pop(), b = pop(); put(a + b); break; }
        case subtract: { int a = pop(), b = pop(); put(b - a); break; }
        case multiply: { int a = pop(), b = pop(); put(a * b); break; }
        case less: { int a = pop(), b = pop(); put(b < a); break; }
        case choose: { int a = pop(), b = pop(), c = pop(); put(a ? b : c); break; }
        case jump_back: at = (at + length - operand % length / 2 * 2) % length; break;
        case skip_if_zero: if (pop() == 0) at = (at + 2) % length; break;
        case increment: memory[operand & 3]++; break;
        case load: put(memory[operand & 3]); break;
        case store: memory[operand & 3] = pop(); break;
        case negate: put(-pop()); break;
        default: running = false;
        }
    }
    results[i] = stack[top & 15] + memory[1] * 7 + memory[2];
    steps[i] = count;
}
