"""Measure speed side by side, in one process, and write docs/benchmarks.md: `make bench [ONLY=kernel]`.

The machine may be busy, so nothing is compared across time: A and B run in turn, and the median of the ratios of
CPU seconds, pair by pair, is the figure. No test reads these numbers.
"""

import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import linear, scaled_dot_product_attention

from course_lib.attention import attention
from course_lib.data.corpora import multi30k
from course_lib.data.grammar import sentences
from course_lib.data.pairs import Vocabulary, batches
from course_lib.measure import bleu
from course_lib.models.seq2seq import BahdanauDecoder, Encoder, FixedContextDecoder, State
from course_lib.models.translation import Seq2Seq, translation_loss
from course_lib.training import one_thread, set_seed
from experiments.common import Trained

PAGE = Path(__file__).parent.parent / "docs/benchmarks.md"


def ratio(ours: Callable, theirs: Callable, pairs: int) -> tuple[float, float, float]:
    """Median, lowest and highest of our CPU seconds over theirs, the two run in turn after five warm-ups."""
    for _ in range(5):
        ours(), theirs()
    found = []
    for _ in range(pairs):
        first = time.process_time()
        ours()
        second = time.process_time()
        theirs()
        found.append((second - first) / (time.process_time() - second))
    return statistics.median(found), min(found), max(found)


def table(head: list[str], rows: list[list]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def shown(found: tuple[float, float, float]) -> str:
    """A ratio as the page shows it."""
    return "{:.2f} ({:.2f}–{:.2f})".format(*found)


def backward(result: torch.Tensor) -> None:
    """The backward pass of anything."""
    result.sum().backward()


KEPT = {"MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "2000000000"}


def kernel() -> str:
    """Our kernel, which returns its weights, against torch's two, forward and backward."""
    rows = []
    for heads, d_k, n in ((heads, d_k, n) for heads, d_k in ((1, 64), (4, 64), (4, 16)) for n in (64, 256, 1024)):
        batch = max(1, 512 // n)
        q, k, v = (torch.randn(batch, heads, n, d_k, requires_grad=True) for _ in range(3))
        fused = ratio(
            lambda q=q, k=k, v=v: backward(attention(q, k, v).context),
            lambda q=q, k=k, v=v: backward(scaled_dot_product_attention(q, k, v)),
            30,
        )
        module = nn.MultiheadAttention(heads * d_k, heads, batch_first=True)
        x = torch.randn(batch, n, heads * d_k, requires_grad=True)
        with_weights = ratio(
            lambda m=module, x=x: backward(same_by_our_kernel(m, x)),
            lambda m=module, x=x: backward(m(x, x, x, need_weights=True, average_attn_weights=False)[0]),
            30,
        )
        rows.append([heads, d_k, n, shown(with_weights), shown(fused)])
    names = ("nn.MultiheadAttention(need_weights=True)", "scaled_dot_product_attention")
    return table(["heads", "d_k", "n", *(f"ours / `{name}`" for name in names)], rows)


def kernel_memory_kept() -> str:
    """The same in a process whose C library keeps freed memory, where fetching pages for the matrix costs nothing."""
    program = "from scripts import bench\nwith bench.one_thread(): print(bench.kernel())"
    where = {"env": os.environ | KEPT, "cwd": PAGE.parent.parent}
    found = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True, **where)
    settings = " ".join(f"{name}={value}" for name, value in KEPT.items())
    why = (
        "`scaled_dot_product_attention` never forms the matrix of weights, which the course wants to show.\n"
        "With four heads and n = 1024 it has 16 MB, and Linux's C library gives blocks of this size back\n"
        f"after each use and fetches them anew: in the table above. Here it keeps them\n(`{settings}`)."
    )
    return f"{why}\n\n{found.stdout.decode().strip()}"


def same_by_our_kernel(module: nn.MultiheadAttention, x: torch.Tensor) -> torch.Tensor:
    """What the module computes, with its parameters and our kernel."""
    projected = linear(x, module.in_proj_weight, module.in_proj_bias).chunk(3, dim=-1)
    q, k, v = (part.unflatten(-1, (module.num_heads, -1)).transpose(1, 2) for part in projected)
    return module.out_proj(attention(q, k, v).context.transpose(1, 2).flatten(2))


class ProjectsAtEachStep(BahdanauDecoder):
    """The same decoder, computing U h_j anew before each word, as many published loops do."""

    def start(self, encoded):
        """Keep the annotations where the projected keys would be."""
        return State(super().start(encoded).hidden, (encoded.states, encoded.states, encoded.mask))

    def attend(self, hidden, word, memory):
        """Project, then attend."""
        states, values, mask = memory
        return super().attend(hidden, word, (self.score.w_k(states), values, mask))


def loop() -> str:
    """Our training step against keys projected at each step and batches as they come."""
    pairs = sentences("fr", 8_000, lengths=(4, 30), seed=0)
    source, target = (Vocabulary.of(getattr(pair, side) for pair in pairs) for side in ("source", "target"))

    def steps(decoder: type, by_length: bool, n: int = 20) -> Callable:
        set_seed(0)
        encoder = Encoder(len(source), 32, 64)
        model = Seq2Seq(encoder, decoder(encoder, len(target), 32, 64))
        supply = batches(pairs, source, target, by_length=by_length)

        def run() -> None:
            for _ in range(n):
                backward(translation_loss(model, next(supply)))

        return run

    ours = steps(BahdanauDecoder, True)
    rivals = {
        "keys projected at each step, batches not bucketed": steps(ProjectsAtEachStep, False),
        "keys projected at each step": steps(ProjectsAtEachStep, True),
        "batches not bucketed": steps(BahdanauDecoder, False),
    }
    rows = []
    for name, other in rivals.items():
        rows.append([name, shown(ratio(other, ours, 9))])
    return table(["20 training steps of 64 sentences, 4–30 words", "times ours"], rows)


def chapters() -> str:
    """Wall and CPU seconds of each chapter, run in a fresh kernel, and its size as committed."""
    from scripts.notebooks import CHAPTERS, execute  # needs the packages of the lab

    rows = []
    for path in sorted(CHAPTERS.glob("*.ipynb")):
        _, wall, cpu = execute(path)
        rows.append([path.stem, f"{cpu:.0f}", f"{wall:.0f}", path.stat().st_size // 1024])
    return table(["chapter", "CPU s", "wall s", "KB"], rows)


MULTI30K = {"d_embedding": 128, "batch": 64, "steps": 1600, "learning_rate": 2e-3, "min_count": 2}


def translation() -> str:
    """BLEU on photographs' descriptions, where the files are present."""
    rows = []
    for language in ("de", "fr"):
        train, test = multi30k(language, "train"), multi30k(language, "test_2016_flickr")
        for name, decoder in {"fixed context": FixedContextDecoder, "Bahdanau": BahdanauDecoder}.items():
            trained = Trained(decoder, train, 0, MULTI30K, 256)
            score = bleu(trained.written(test), [pair.target for pair in test])
            cpu = round(trained.history.cpu_seconds)
            parameters = trained.row(name, 0)["parameters"]
            signature = score.signature.replace("|", " ")
            rows.append([f"{language.upper()}→EN", name, f"{parameters:,}", cpu, f"{score.score:.1f}", signature])
    head = ["2016 Flickr test", "model", "parameters", "training CPU s", "BLEU", "sacrebleu signature"]
    return table(head, rows)


SECTIONS = {
    "kernel": ("The kernel, forward and backward", kernel),
    "kernel_memory_kept": ("The kernel, memory kept", kernel_memory_kept),
    "loop": ("Bahdanau's training loop", loop),
    "chapters": ("The chapters", chapters),
    "translation": ("Multi30k, greedy, free-running", translation),
}


def main(names: list[str]) -> None:
    """Measure the named sections, or all, and put each into the page in place of its earlier self."""
    made = f"{platform.machine()}, Python {platform.python_version()}, torch {version('torch')}, one thread"
    for name in names or SECTIONS:
        title, measure = SECTIONS[name]
        with one_thread():
            text = f"## {title}\n\n{measure()}\n\n({made})\n"
        print(text, flush=True)
        put(title, text)


def put(title: str, text: str) -> None:
    """Write a section into the page; the others stay as they are, in the order of SECTIONS."""
    head = "# Benchmarks\n\nWritten by `make bench`. " + " ".join(__doc__.split("\n\n")[1].split())
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else head
    found = {part.partition("\n")[0]: f"## {part}" for part in re.split(r"^## ", page, flags=re.M)[1:]}
    found[title] = text
    ordered = [found[title].strip() for title, _ in SECTIONS.values() if title in found]
    PAGE.write_text("\n\n".join([head, *ordered]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
