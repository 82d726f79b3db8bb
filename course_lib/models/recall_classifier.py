"""A classifier for distant recall: a GRU, an LSTM or self-attention reads a row of cards."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.models.self_attention import SelfAttentionEncoder

RECURRENT = {"GRU": (nn.GRU, 51), "LSTM": (nn.LSTM, 43)}  # sizes with as many parameters as a self-attention block


class RecallClassifier(nn.Module):
    r"""Predicts a number from the encoder state at the last position.

    $$ x_j = E_{\mathrm{letter}} + E_{\mathrm{number}} + E_{\mathrm{mark}} \qquad
       \mathrm{logits} = W\, \mathrm{state}_n + b $$

    The encoder is a GRU, an LSTM, or else one block of self-attention with one head; about 15,000 parameters each.

    Shapes: a batch has `letters`, `numbers` and `marks`, `batch position` (see `course_lib.data.distant_recall`)
    → logits `batch number`.
    Source: Cho et al. 2014 (GRU); Hochreiter & Schmidhuber 1997 (LSTM); Vaswani et al. 2017, §3.
    """

    def __init__(self, encoder: str, n_cards: int = 16, d_model: int = 32):
        super().__init__()
        sizes = (n_cards + 1, n_cards + 1, 2)
        self.letter, self.number, self.mark = (nn.Embedding(size, d_model, padding_idx=0) for size in sizes)
        make, d_state = RECURRENT.get(encoder, (None, d_model))
        block = SelfAttentionEncoder(1, d_model, n_heads=1, max_length=n_cards + 1)
        self.encoder = block if make is None else make(d_model, d_state, batch_first=True)
        self.readout = nn.Linear(d_state, n_cards)

    def vectors(
        self,
        letters: Int[Tensor, "batch position"],
        numbers: Int[Tensor, "batch position"],
        marks: Int[Tensor, "batch position"],
    ) -> Float[Tensor, "batch position d_model"]:
        """The sum of the embeddings at each position."""
        return self.letter(letters) + self.number(numbers) + self.mark(marks)

    def read(self, x: Float[Tensor, "batch position d_model"]) -> Float[Tensor, "batch number"]:
        """From vectors to logits: `forward` after the embedding, for gradients with respect to the vectors."""
        attends = isinstance(self.encoder, SelfAttentionEncoder)
        states = self.encoder.read(x).states if attends else self.encoder(x)[0]
        return self.readout(states[:, -1])

    def forward(self, batch) -> Float[Tensor, "batch number"]:
        """Logits for the number asked for."""
        return self.read(self.vectors(batch.letters, batch.numbers, batch.marks))
