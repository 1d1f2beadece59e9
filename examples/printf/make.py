"""What C's printf writes is what the launch file expects."""

import pathlib
import subprocess
import tempfile
import tomllib

expected = tomllib.loads(pathlib.Path("launch.toml").read_text())["expect_stdout"]
with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder) / "reference"
    subprocess.run(["gcc", "-w", "reference.c", "-o", program], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
assert printed == expected, printed
