"""The structures' bytes are in the launch file; here they are read back and computed with."""

import pathlib
import struct
import tomllib

import numpy as np
from reference import save

launches = tomllib.loads(pathlib.Path("launch.toml").read_text())["launch"]
line = bytes.fromhex(launches[0]["args"][0].removeprefix("bytes:"))
symbol, offset, slope, *weights, key = struct.unpack("<bxhf5dQ", line)
i = np.arange(33)
out = np.array(weights)[i % 5] * (i + offset)
*first, second_x, second_y = struct.unpack("<4f2i8x", bytes.fromhex(launches[1]["args"][1].removeprefix("bytes:")))
rows = np.array([first] * 8, np.float32)
rows[np.arange(8), np.arange(8) % 4] += 7
# Small integers and eighths only: all sums are exact, so the order does not matter.
save(lines=out + slope + symbol + (key >> 60), pairs=(rows * [1, 2, 4, 8]).sum(1).astype(np.float32) + np.float32(second_x * second_y))
