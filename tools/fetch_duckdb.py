#!/usr/bin/env python3
"""Fetches DuckDB's shared library and its C header into build/duckdb, which every preset shares.

Nothing is fetched where libduckdb.so is installed, or where it was fetched before. Both come as tarballs from npm
(`npm pack`: nothing of theirs is run), in pinned versions whose sha512 is checked before anything is unpacked.
Exit status: 0 there or fetched; 3 no npm; 1 it failed.
"""
import argparse
import base64
import ctypes.util
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "duckdb"

LIBRARY_VERSION = "1.5.6-r.1"
LIBRARIES = {  # machine: (package, sha512)
    "x86_64": ("@duckdb/node-bindings-linux-x64",
               "IXcrZJE6kEqM0Z4wwdVnGBHX/frOS33VPNAwDXQ/Q+Fs84b058Qe94chrCCIcNJlG8Y3UHIUU4eBeCQxW5mN1Q=="),
    "aarch64": ("@duckdb/node-bindings-linux-arm64",
                "3jnUaDil1BrF/6vAZwVaInJ1xoBaWGHB4PDiUnzJWKCo8a8TLx9j7/gPyPl/UGRBftrYIuTihRZSfF4mWMgtWA=="),
}
HEADER_VERSION = "1.4.4"
HEADER = ("duckdb", "hEJJ5hyVF0VLj3dmOLpsWrQR0b3d4Ykqtygm6iUXjHJDDnSqg/USKxcb5qvNrOhFYPgktayU6dXCtgPqcmmpog==")
TIMEOUT_S = 300


def pack(name, version, sha512, folder):
    """Downloads one package; the path of its tarball, checked."""
    folder.mkdir()
    done = subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000",
                           "--pack-destination", str(folder), f"{name}@{version}"],
                          cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
    tarballs = list(folder.glob("*.tgz"))
    if done.returncode != 0 or len(tarballs) != 1:
        raise RuntimeError(f"npm pack {name}@{version} failed: {(done.stderr or done.stdout).strip()[-300:]}")
    digest = base64.b64encode(hashlib.sha512(tarballs[0].read_bytes()).digest()).decode()
    if digest != sha512:
        raise RuntimeError(f"{name}@{version}: its sha512 is {digest}, not the pinned one; nothing was unpacked")
    return tarballs[0]


def extract(tarball, member, to):
    """One file of a tarball, by its exact name; it appears whole or not at all."""
    with tarfile.open(tarball) as tar, tempfile.NamedTemporaryFile(dir=to.parent, delete=False) as out:
        shutil.copyfileobj(tar.extractfile(tar.getmember(member)), out)
    os.chmod(out.name, 0o644)
    os.replace(out.name, to)


def is_there():
    if ctypes.util.find_library("duckdb"):
        return True  # installed; it is preferred
    stamp = FOLDER / "version"
    return stamp.exists() and stamp.read_text() == f"{LIBRARY_VERSION} {HEADER_VERSION}\n" and \
        (FOLDER / "libduckdb.so").exists() and (FOLDER / "duckdb.h").exists()


def fetch():
    library = LIBRARIES.get(platform.machine())
    if library is None:
        raise RuntimeError(f"no library is published for {platform.machine()}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        scratch = pathlib.Path(scratch)
        tarball = pack(library[0], LIBRARY_VERSION, library[1], scratch / "library")
        header = pack(HEADER[0], HEADER_VERSION, HEADER[1], scratch / "header")
        extract(tarball, "package/LICENSE", FOLDER / "LICENSE.duckdb")
        extract(header, "package/src/duckdb/src/include/duckdb.h", FOLDER / "duckdb.h")
        extract(tarball, "package/libduckdb.so", FOLDER / "libduckdb.so")
    (FOLDER / "version").write_text(f"{LIBRARY_VERSION} {HEADER_VERSION}\n")


def main():
    parser = argparse.ArgumentParser(description="fetches DuckDB into build/duckdb")
    parser.add_argument("--check", action="store_true", help="only tell by the exit status whether it is there")
    args = parser.parse_args()
    if is_there():
        return 0
    if args.check:
        return 1
    if shutil.which("npm") is None:
        print("fetch_duckdb: npm is not installed")
        return 3
    print(f"fetch_duckdb: fetching DuckDB {LIBRARY_VERSION} (35 MB)", flush=True)
    try:
        fetch()
    except (RuntimeError, OSError, KeyError, tarfile.TarError, subprocess.TimeoutExpired) as error:
        print(f"fetch_duckdb: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
