#!/usr/bin/env bash
# Makes wheels, so that pip installs the program: wheels.sh DIST, the folder with the archives of a release.
# A wheel is a zip of the archive's binary and three files of text. Its sum goes into checksums.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$1" && pwd)
if ! command -v python3 >/dev/null; then
	echo "skipped: no wheels, since python3 is not installed"
	exit
fi
cd "$here/.."
VERSION=$(packaging/version.sh) EPOCH=$(git log -1 --format=%ct) python3 - "$dist" <<'PYTHON'
import base64, hashlib, os, re, sys, tarfile, time, zipfile

dist, version = sys.argv[1], os.environ["VERSION"]
# Python's versions have no "-dev" and no "-rc.1": 0.3.0-dev is 0.3.0.dev0, 0.3.0-rc.1 is 0.3.0rc1 (PEP 440).
pep440 = re.sub(r"-rc\.?(\d+)$", r"rc\1", re.sub(r"-dev$", ".dev0", version))
if not re.fullmatch(r"\d+(\.\d+)*(rc\d+)?(\.dev\d+)?", pep440):
    sys.exit(f"wheels: Python has no such version as {version}; name it as 1.2.3, 1.2.3-rc.1 or 1.2.3-dev")
when = time.gmtime(int(os.environ["EPOCH"]))[:6]

# The binary is static: it runs on every glibc and on musl. Go needs macOS 12 and Linux 3.2.
platforms = {
    "linux-x86_64.tar.gz": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux-aarch64.tar.gz": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin-x86_64.tar.gz": "macosx_12_0_x86_64",
    "darwin-arm64.tar.gz": "macosx_12_0_arm64",
    "windows-x86_64.zip": "win_amd64",
}


def members(archive, wanted):
    """Returns {name: bytes} of the wanted files of an archive with one folder."""
    found = {}
    if archive.endswith(".zip"):
        with zipfile.ZipFile(archive) as z:
            for name in z.namelist():
                if os.path.basename(name) in wanted and name.count("/") == 1:
                    found[os.path.basename(name)] = z.read(name)
    else:
        with tarfile.open(archive) as t:
            for m in t:
                if os.path.basename(m.name) in wanted and m.name.count("/") == 1 and m.isfile():
                    found[os.path.basename(m.name)] = t.extractfile(m).read()
    missing = set(wanted) - set(found)
    if missing:
        sys.exit(f"wheels: {archive} has no {', '.join(sorted(missing))}")
    return found


def record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


sums = {}
for archive, tag in platforms.items():
    path = os.path.join(dist, f"halfpeak-{version}-{archive}")
    if not os.path.exists(path):  # a build of some systems only
        print(f"skipped: no wheel for {archive.split('.')[0]}, since there is no {os.path.basename(path)}")
        continue
    binary = "halfpeak.exe" if tag == "win_amd64" else "halfpeak"
    files = members(path, [binary, "LICENSE", "NOTICE", "README.md"])
    info = f"halfpeak-{pep440}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: halfpeak\nVersion: {pep440}\n"
        "Summary: Calculator of what communication costs\n"
        "Home-page: https://github.com/halfpeak/halfpeak\nLicense: BSD-3-Clause\n"
        "Description-Content-Type: text/markdown\n\n"
    ).encode() + files["README.md"]
    tags = "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))
    wheel = f"Wheel-Version: 1.0\nGenerator: packaging/wheels.sh\nRoot-Is-Purelib: false\n{tags}"
    content = [
        (f"halfpeak-{pep440}.data/scripts/{binary}", files[binary], 0o755),
        (f"{info}/licenses/LICENSE", files["LICENSE"], 0o644),
        (f"{info}/licenses/NOTICE", files["NOTICE"], 0o644),
        (f"{info}/METADATA", metadata, 0o644),
        (f"{info}/WHEEL", wheel.encode(), 0o644),
    ]
    listing = "".join(record(name, data) for name, data, _ in content) + f"{info}/RECORD,,\n"
    content.append((f"{info}/RECORD", listing.encode(), 0o644))
    out = f"halfpeak-{pep440}-py3-none-{tag}.whl"
    with zipfile.ZipFile(os.path.join(dist, out), "w") as z:
        for name, data, mode in content:
            entry = zipfile.ZipInfo(name, when)
            entry.create_system = 3  # Unix, on whatever system this runs: the mode counts
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data, compresslevel=9)
    with open(os.path.join(dist, out), "rb") as f:
        sums[out] = hashlib.sha256(f.read()).hexdigest()

sumfile = os.path.join(dist, "checksums.txt")
lines = open(sumfile).read().splitlines() if os.path.exists(sumfile) else []
lines = [line for line in lines if not line.endswith(".whl")]  # also if they were made before
with open(sumfile, "w") as f:
    f.writelines(line + "\n" for line in lines + [f"{sums[name]}  {name}" for name in sorted(sums)])
PYTHON
