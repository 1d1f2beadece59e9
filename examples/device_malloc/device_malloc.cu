// A linked list a thread on the device's heap: built in one launch, walked, summed and freed in the next.
#include <stdlib.h>

struct Node {
    Node *next;
    unsigned value;
};

extern "C" __global__ void build(Node **lists, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Node *list = nullptr;
    for (unsigned j = 0; j < i % 9; j++) {
        Node *node = static_cast<Node *>(malloc(sizeof(Node)));
        node->next = list;
        node->value = i * 10 + j;
        list = node;
    }
    lists[i] = list;
}

extern "C" __global__ void sum(Node **lists, unsigned *sums, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned total = 0, place = 1;
    for (Node *node = lists[i]; node;) {
        total += node->value * place++;
        Node *next = node->next;
        free(node);
        node = next;
    }
    sums[i] = total;
}
