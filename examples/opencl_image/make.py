"""Images for the kernels, and what they give, by numpy: filters of single precision in the order of the kernels, weights of linear filters in 256ths."""

import numpy as np
from reference import save

generator = np.random.default_rng(47)
HEIGHT, WIDTH, DEPTH = 19, 37, 5
picture = generator.integers(0, 256, (HEIGHT, WIDTH, 4)).astype(np.uint8)
volume = generator.integers(0, 2**16, (DEPTH, HEIGHT, WIDTH)).astype(np.uint16)
slices = generator.integers(0, 2**31, (DEPTH, HEIGHT, WIDTH)).astype(np.int32)
real = generator.normal(0, 0.8, (HEIGHT, WIDTH, 2)).astype(np.float32)
real[0, :4, 0] = 1.0, -1.0, 2.0, -2.0


def texels(unorm):
    """Numbers of eight bits as registers get them."""
    return (unorm.astype(np.float64) / 255).astype(np.float32)


def box(padded):
    total = np.zeros((HEIGHT, WIDTH, 4), np.float32)
    for y in range(3):
        for x in range(3):
            total += padded[y : y + HEIGHT, x : x + WIDTH]
    return total * np.float32(0.125)


def resize(image, height, width):
    """Linear filter; texels behind the edge are those at it."""

    def along(count, size):
        steps = np.rint(((np.arange(count) + 0.5) / count * size - 0.5) * 256).astype(int)
        first, part = steps // 256, (steps % 256) / 256
        return np.clip(first, 0, size - 1), np.clip(first + 1, 0, size - 1), part

    top, bottom, v = along(height, image.shape[0])
    left, right, u = along(width, image.shape[1])
    image, u, v = image.astype(np.float64), u[None, :, None], v[:, None, None]
    rows = lambda y: image[y][:, left] * (1 - u) + image[y][:, right] * u
    return (rows(top) * (1 - v) + rows(bottom) * v).astype(np.float32)


def snorm(values):
    return np.rint(np.clip(values.astype(np.float64), -1, 1) * 127).astype(np.int8)


blurred = box(np.pad(texels(picture), ((1, 1), (1, 1), (0, 0)), "edge"))
loaded = box(np.pad(texels(picture), ((1, 1), (1, 1), (0, 0)))).astype(np.float16)
# An image of two channels has no blue, and is opaque: in memory blue comes first.
normalized = np.stack([np.zeros((HEIGHT, WIDTH), np.int8), snorm(real[..., 1]), snorm(real[..., 0]), np.full((HEIGHT, WIDTH), 127, np.int8)], -1)
save(
    picture=picture, volume=volume, slices=slices, real=real,
    blurred=blurred, loaded=loaded.view(np.uint16), resized=resize(texels(picture[..., [2, 1, 0, 3]]), 2 * HEIGHT, 3 * WIDTH),
    swapped=picture[..., [2, 1, 0, 3]], normalized=normalized,
    projected=np.stack([volume.sum(0).astype(np.uint32), slices.max(0).astype(np.uint32)], -1),
)
