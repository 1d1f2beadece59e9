"""Compile a Triton kernel to the PTX beside its script, or to a code object for an AMD GPU; no GPU is needed.

The kernel's parameters in the PTX are its pointers and scalars in order, then two pointers to scratch memory that
these kernels don't use: a launch passes 0 for each. A block has 32 times `num_warps` threads.
"""

import os
import pathlib

os.environ["TRITON_DISABLE_LINE_INFO"] = "1"  # it would carry the path of the script's folder
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"

import triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402


def write_ptx(kernel, signature, constants, script, multiples_of_16=(), num_warps=4, capability=80, name=None):
    """Write NAME.ptx, or SCRIPT's name with the suffix .ptx, beside the script; say what a launch must know.

    `multiples_of_16` names arguments that are (addresses or counts): loads and stores may then be vectors.
    """
    attributes = {(list(signature).index(name),): [["tt.divisibility", 16]] for name in multiples_of_16}
    signature = signature | {name: "constexpr" for name in constants}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": num_warps})
    path = pathlib.Path(script)
    (path.parent / name if name else path).with_suffix(".ptx").write_text(compiled.asm["ptx"])
    metadata = compiled.metadata
    print(f"{kernel.__name__}: {num_warps * 32} threads a block, {metadata.shared} bytes of dynamic shared memory")
    print(f"  scratch memory {metadata.global_scratch_size} bytes a block, descriptors {metadata.tensordesc_meta}")


def write_hsaco(kernel, signature, constants, path, gfx, lanes, num_warps=4):
    """Write the code object of a kernel for an AMD GPU with wavefronts of so many lanes; return the bytes of LDS that a launch asks for."""
    signature = signature | {name: "constexpr" for name in constants}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    compiled = triton.compile(source, target=GPUTarget("hip", gfx, lanes), options={"num_warps": num_warps})
    path.write_bytes(compiled.asm["hsaco"])
    print(f"{kernel.__name__} for {gfx}: {num_warps * lanes} work items a group")
    return compiled.metadata.shared
