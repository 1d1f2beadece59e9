// Accelerations between all pairs of bodies, in tiles of local memory; the count is a multiple of the tile.
#define TILE 256

__kernel void nbody(__global const float4 *bodies, __global float4 *accelerations, int n, float softening) {
    __local float4 part[TILE];
    int i = get_global_id(0), local_id = get_local_id(0);
    float4 body = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += TILE) {
        part[local_id] = bodies[start + local_id];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < TILE; j++) {
            float dx = part[j].x - body.x, dy = part[j].y - body.y, dz = part[j].z - body.z;
            float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            float force = part[j].w * inverse * inverse * inverse;
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[i] = (float4)(ax, ay, az, 0);
}
