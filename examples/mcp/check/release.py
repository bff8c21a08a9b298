"""Packs a built canvas-mcp: an archive, a wheel and an npm package, the same bytes from the same program.

    release.py BINARY VERSION FOLDER
"""

import base64
import gzip
import hashlib
import io
import json
import pathlib
import platform
import re
import sys
import tarfile
import zipfile

binary, version, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
program = binary.read_bytes()
system, machine = platform.system().lower(), platform.machine()
readme = pathlib.Path("examples/mcp/README.md").read_text()
licences = {name: pathlib.Path(name).read_bytes() for name in ("LICENSE-MIT", "LICENSE-APACHE")}
about = "Documents for the clients of the Model Context Protocol: a model edits your Markdown file, and nobody's text is lost."
# No file in a package is younger than this, so that two builds of one program are equal.
then = 315532800


def packed(path, files):
    """A .tar.gz of (name, bytes, mode)."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data, mode in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, then
            archive.addfile(entry, io.BytesIO(data))
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(raw.getvalue())


def platform_tag():
    """The oldest glibc that has all symbols of the program."""
    if system != "linux":
        return f"{system}_{machine}"
    newest = max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", program)), default=17)
    return f"manylinux_2_{newest}_{machine}"


top = f"canvas-mcp-{version}-{machine}-{system}"
files = [(f"{top}/canvas-mcp", program, 0o755), (f"{top}/README.md", readme.encode(), 0o644)]
files += [(f"{top}/{name}", data, 0o644) for name, data in licences.items()]
packed(out / f"{top}.tar.gz", files)

tag = f"py3-none-{platform_tag()}"
info = f"cocanvas_mcp-{version}.dist-info"
metadata = (
    f"Metadata-Version: 2.1\nName: cocanvas-mcp\nVersion: {version}\nSummary: {about}\n"
    f"License: MIT OR Apache-2.0\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
)
wheel = {
    f"cocanvas_mcp-{version}.data/scripts/cocanvas-mcp": program,
    f"{info}/METADATA": metadata.encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: release\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    **{f"{info}/{name}": data for name, data in licences.items()},
}
record = ""
for name, data in wheel.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(data)}\n"
wheel[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
with zipfile.ZipFile(out / f"cocanvas_mcp-{version}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as archive:
    for name, data in wheel.items():
        entry = zipfile.ZipInfo(name)
        # Installers take the rights of regular files alone.
        entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, data)

package = {
    "name": "cocanvas-mcp",
    "version": version,
    "description": about,
    "license": "MIT OR Apache-2.0",
    "bin": {"cocanvas-mcp": "canvas-mcp"},
    "os": [system],
    "cpu": [{"x86_64": "x64", "aarch64": "arm64"}.get(machine, machine)],
}
files = [("package/package.json", json.dumps(package, indent=2).encode(), 0o644)]
files += [("package/canvas-mcp", program, 0o755), ("package/README.md", readme.encode(), 0o644)]
files += [(f"package/{name}", data, 0o644) for name, data in licences.items()]
packed(out / f"cocanvas-mcp-{version}.tgz", files)
