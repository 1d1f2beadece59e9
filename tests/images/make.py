#!/usr/bin/env python3
"""Makes descriptors.txt: descriptors of images and samplers, as ROCm's runtime makes them for images with a linear layout.

A line is `TARGET image KIND ORDER TYPE WIDTHxHEIGHTxDEPTH = words | bytes of a row, of a slice`, for an image at address 0x1234567800, or `TARGET sampler FIELDS = words`.
Layouts of descriptors and of linear images are those that tests/run/amdgpu/make_image.py writes down; channels are those of HSA's image extension and of
ROCm's image_lut_*.cpp, samplers those of image_manager_*.cpp. `python3 make.py` rewrites the file.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "run" / "amdgpu"))
from make_image import NUMBERS, Image, put  # noqa: E402

TARGETS = {"gfx900": "gfx9", "gfx906": "gfx9", "gfx90a": "gfx9", "gfx1010": "gfx101", "gfx1030": "gfx103", "gfx1036": "gfx103", "gfx1100": "gfx11", "gfx1151": "gfx11", "gfx1201": "gfx120"}
BASE = 0x1234567800
TYPES = ["snorm8", "snorm16", "unorm8", "unorm16", "unorm24", "unorm555", "unorm565", "unorm101010", "s8", "s16", "s32", "u8", "u16", "u32", "f16", "f32"]
ORDERS = ["a", "r", "rx", "rg", "rgx", "ra", "rgb", "rgbx", "rgba", "bgra", "argb", "abgr", "srgb", "srgbx", "srgba", "sbgra", "intensity", "luminance", "depth"]
# What a register gets, by the letters of components in memory.
SELECTED = {"a": "000x", "r": "x001", "rg": "xy01", "ra": "x00y", "rgb": "zyx1", "rgba": "xyzw", "bgra": "zyxw", "argb": "yzwx", "abgr": "yxwz", "srgba": "xyzw",
            "sbgra": "zyxw", "intensity": "xxxx", "luminance": "xxx1", "depth": "x000"}
COMPONENTS = {"rg": 2, "ra": 2, "rgba": 4, "bgra": 4, "argb": 4, "abgr": 4, "srgba": 4, "sbgra": 4}
PACKED = {"unorm555": "1_5_5_5", "unorm565": "5_6_5", "unorm101010": "2_10_10_10"}
KINDS = {"1d": "1D", "2d": "2D", "3d": "3D", "cube": "CUBE", "1d_array": "1D_ARRAY", "2d_array": "2D_ARRAY"}


def format_of(order, ty):
    """AMD's format."""
    kind = "SRGB" if order in ("srgba", "sbgra") else {"u": "UINT", "s": "SINT", "f": "FLOAT"}[ty[0]]
    kind = "UNORM" if ty.startswith("unorm") and kind == "UINT" else "SNORM" if ty.startswith("snorm") else kind
    if ty in PACKED:
        return PACKED[ty], kind
    return "_".join([ty.lstrip("unormsf")] * COMPONENTS.get(order, 1)), kind


def image_lines(target, generation):
    sizes = {"1d": (1000, 1, 1), "2d": (37, 19, 1), "3d": (64, 5, 7), "cube": (16, 16, 12), "1d_array": (300, 1, 9), "2d_array": (37, 19, 3)}
    channels = [(order, ty) for order in SELECTED for ty in TYPES if ty != "unorm24" and (ty in PACKED) == (order == "rgb") and (order[0] != "s" or ty == "unorm8")]
    for order, ty in channels:
        if format_of(order, ty) in NUMBERS[generation]:
            yield image_line(target, generation, "2d", order, ty, sizes["2d"])
    for kind, size in sizes.items():
        for order, ty in (("rgba", "unorm8"), ("r", "u8"), ("rgba", "f32")):
            yield image_line(target, generation, kind, order, ty, size)
    most = 1 << (16 if generation == "gfx120" else 14)
    for size in ((1, 1, 1), (most, 1, 1), (64, most, 1), (65, 3, 1)):
        yield image_line(target, generation, "2d", "r", "f32", size)


def image_line(target, generation, kind, order, ty, size):
    select = tuple({"0": 0, "1": 1}.get(c, 4 + "xyzw".find(c)) for c in SELECTED[order])
    slices = 1 if kind == "3d" else size[2]
    image = Image(generation, KINDS[kind], size if kind == "3d" else size[:2], format_of(order, ty), slices=slices, sel=select)
    words = image.words()
    put(words, 0, BASE >> 8, 40)
    row, _, whole = image.level(0)
    words += [TYPES.index(ty), ORDERS.index(order), size[0], 0]
    sizes = "x".join(map(str, size))
    return f"{target} image {kind} {order} {ty} {sizes} = {' '.join(f'{w:#x}' for w in words)} | {row} {whole}"


def sampler_lines(target):
    for clamp, number in {"repeat": 0, "mirror": 1, "edge": 2, "border": 6}.items():
        for linear in (False, True):
            for unnormalized in (False, True):
                for border, colour in {"transparent": 0, "black": 1, "white": 2}.items():
                    words = [number | number << 3 | number << 6 | unnormalized << 15, 4095 << (13 if target.startswith("gfx12") else 12), linear << 20 | linear << 22, colour << 30]
                    fields = [clamp, "linear" if linear else "nearest", *(["unnormalized"] if unnormalized else []), border]
                    yield f"{target} sampler {','.join(fields)} = {' '.join(f'{w:#x}' for w in words + [0] * 4)}"


lines = ["# Descriptors of images and samplers. Made by make.py; expected values are Python's."]
for target, generation in TARGETS.items():
    lines += [*image_lines(target, generation), *sampler_lines(target)]
(HERE / "descriptors.txt").write_text("\n".join(lines) + "\n")
