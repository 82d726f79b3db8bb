"""The smallest model that shows a lesson."""

from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import BahdanauDecoder, DeepOutput, Encoder, FixedContextDecoder
from course_lib.models.trace import Trace, trace
from course_lib.models.translation import (
    Seq2Seq,
    forced_weights,
    greedy,
    log_probabilities,
    translate,
    translation_loss,
)

__all__ = [
    "BahdanauDecoder",
    "DeepOutput",
    "Encoder",
    "FixedContextDecoder",
    "LuongDecoder",
    "Seq2Seq",
    "Trace",
    "forced_weights",
    "greedy",
    "log_probabilities",
    "trace",
    "translate",
    "translation_loss",
]
