// OpenCL C's work-item functions by the compiler's builtins, so that no vendor's library is linked.
#define get_local_id(d) ((uint)((d) == 0 ? __builtin_amdgcn_workitem_id_x() : __builtin_amdgcn_workitem_id_y()))
#define get_group_id(d) ((uint)((d) == 0 ? __builtin_amdgcn_workgroup_id_x() : __builtin_amdgcn_workgroup_id_y()))
#define get_local_size(d) ((uint)((d) == 0 ? __builtin_amdgcn_workgroup_size_x() : __builtin_amdgcn_workgroup_size_y()))
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_size(d) ((uint)__builtin_amdgcn_grid_size_x())
#define rsqrt(x) __builtin_amdgcn_rsqf(x)
#define barrier(flags) (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
