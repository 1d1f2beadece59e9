"""65 messages of 0 to 192 bytes, one after another; digests by hashlib."""

import hashlib

import numpy as np
from reference import save

lengths = np.arange(65) * 3
offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
messages = np.random.default_rng(14).integers(0, 256, offsets[-1], np.uint8)
digests = [hashlib.sha256(messages[a:b].tobytes()).digest() for a, b in zip(offsets, offsets[1:])]
save(messages=messages, offsets=offsets, digests=np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32))
