"""Special tokens and padding, shared by `data` and `models`."""

from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

PAD, BOS, EOS, UNK = range(4)  # the ids of the special tokens, the same in every vocabulary
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


def padded(rows: Iterable[Sequence[int]], device: torch.device | str | None = None) -> Int[Tensor, "batch length"]:
    """Stack sequences of token ids as one matrix, with PAD after the end of the shorter ones."""
    return pad_sequence([torch.tensor(row, device=device) for row in rows], batch_first=True, padding_value=PAD)
