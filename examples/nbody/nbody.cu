// One step of gravitation between all pairs of bodies, in tiles of shared memory; softened, so that a body feels no force of its own.
constexpr int tile = 64;

extern "C" __global__ void __launch_bounds__(tile) nbody(const float4 *bodies, const float4 *velocities, float4 *bodies_out, float4 *velocities_out,
                                                       int n, float step, float softening) {
    __shared__ float4 part[tile];
    int i = blockIdx.x * tile + threadIdx.x;
    float4 body = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += tile) {
        part[threadIdx.x] = start + threadIdx.x < n ? bodies[start + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
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
    if (i >= n)
        return;
    float4 velocity = velocities[i];
    velocity.x += ax * step, velocity.y += ay * step, velocity.z += az * step;
    body.x += velocity.x * step, body.y += velocity.y * step, body.z += velocity.z * step;
    velocities_out[i] = velocity;
    bodies_out[i] = body;
}
