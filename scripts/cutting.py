"""What scripts that cut a data file out of something larger have in common: write it, or only compare."""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path


def keep(content: Callable[[Path], bytes], file: Path, sha256: str, of: str, home: str, usage: str) -> None:
    """Write what `content` makes in a temporary folder to the file, or with --check only compare; say how it went.

    `of` names what it is cut from; `home` is the module whose SHA256 has to be that of the file; `usage` is the
    script's own text.
    """
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    check_only = parser.parse_args().check
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = content(Path(folder))
    if check_only:
        same = file.exists() and file.read_bytes() == made
        sys.exit(None if same else f"{file} is not what {of} gives here: run this without --check")
    file.write_bytes(made)
    checksum = hashlib.sha256(made).hexdigest()
    print(f"{file}: {len(made):,} bytes, sha256 {checksum}")
    if checksum != sha256:
        print(f"That is new: write it into SHA256 of {home}, and say why it changed.")
