/* Expectations for the approximate functions, from the bit-accurate model pyxis-roc/sass-math.

   Prints for each function a 64-bit FNV-1a hash over the results (little endian) for every 4099th single, from 0 up.
   With an argument N, for every Nth; with 1, for all.

   Usage: build sass-math (commit 0d6d441 or later), then
     cc -O2 -I sass-math/src/sassm special_functions.c libsassm.a -lm && ./a.out > special_functions.txt
     ./a.out 1 > special_functions_all.txt */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

static uint64_t hash(float (*function)(float), uint64_t step)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint64_t i = 0; i < UINT64_C(1) << 32; i += step) {
        uint32_t bits = (uint32_t)i;
        float x;

        memcpy(&x, &bits, 4);
        x = function(x);
        memcpy(&bits, &x, 4);
        for (int shift = 0; shift < 32; shift += 8)
            hash = (hash ^ (bits >> shift & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

int main(int argc, char **argv)
{
    const uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 4099;

    if (step == 1)
        puts("# pyxis-roc/sass-math 0d6d441; all 2^32 singles; made by special_functions.c");
    else
        printf("# pyxis-roc/sass-math 0d6d441; every %lluth single; made by special_functions.c\n", (unsigned long long)step);
    printf("rcp %016llx\n", (unsigned long long)hash(ptxm_rcp_sm5x, step));
    printf("rsqrt %016llx\n", (unsigned long long)hash(ptxm_rsqrt_sm5x, step));
    printf("sqrt %016llx\n", (unsigned long long)hash(ptxm_sqrt_sm6x, step));
    printf("lg2 %016llx\n", (unsigned long long)hash(ptxm_lg2_sm5x, step));
    printf("ex2 %016llx\n", (unsigned long long)hash(ptxm_ex2_sm5x, step));
    printf("sin %016llx\n", (unsigned long long)hash(ptxm_sin_sm70, step));
    printf("cos %016llx\n", (unsigned long long)hash(ptxm_cos_sm70, step));
    return 0;
}
