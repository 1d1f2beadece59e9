// Accelerations between all pairs of bodies, in tiles of shared memory; the count is a multiple of the tile.
constexpr int tile = 256;

extern "C" __global__ void nbody(const float4 *bodies, float4 *accelerations, int n, float softening) {
    __shared__ float4 part[tile];
    int i = blockIdx.x * tile + threadIdx.x;
    float4 body = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += tile) {
        part[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < tile; j++) {
            float dx = part[j].x - body.x, dy = part[j].y - body.y, dz = part[j].z - body.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float force = part[j].w * inverse * inverse * inverse;
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(ax, ay, az, 0);
}
