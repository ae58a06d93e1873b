"""Measure how a fixed vector forgets: ``python benchmarks/bottleneck.py [SEEDS]``.

An encoder reads a sequence into one vector, and a decoder writes it backwards from that vector alone. It is trained
just as the hidden suite of the exercise `seq2seq` trains a learner's attention, on the same sequences. Prints the share
of tokens that come out right, by length, as the median over seeds: the figures `BOTTLENECK` of that suite, which stand
in the exercise's text too.
"""

import importlib.util
import statistics
import sys
import time
from typing import Any

import torch

from grader.course.trees import builtin_course
from grader.suite.draw import Draw


def read_suite() -> Any:
    """Return the hidden suite as a module."""
    spec = importlib.util.spec_from_file_location("test_seq2seq", builtin_course().suite("seq2seq"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FixedVector(torch.nn.Module):
    """
    All steps of a decoder that sees one vector of the whole sequence, whatever it writes.

    Args:
        suite: The hidden suite, for the sizes.
    """

    def __init__(self, suite: Any) -> None:
        super().__init__()
        self.reader = torch.nn.GRU(suite.ENCODER, suite.ENCODER, batch_first=True)
        self.cell = torch.nn.GRUCell(suite.EMBEDDING + suite.ENCODER, suite.DECODER)

    def forward(
        self, embeddings: torch.Tensor, state: torch.Tensor, encoder_states: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return all states (steps, batch, decoder_dim), and weights of zero, since there are none."""
        _, (vector,) = self.reader(encoder_states)
        states = []
        for embedding in embeddings:
            state = self.cell(torch.cat([embedding, vector], dim=-1), state)
            states.append(state)
        steps, batch, seq_len = len(embeddings), *encoder_states.shape[:2]
        return torch.stack(states), torch.zeros(steps, batch, seq_len)


def main() -> None:
    """Train on each seed, and print the medians."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    torch.set_num_threads(1)
    suite = read_suite()
    shares: dict[int, list[float]] = {length: [] for length in suite.LENGTHS}
    for seed in range(seeds):
        torch.manual_seed(seed)
        started = time.process_time()
        draw = Draw(seed)
        model = suite.Reverser(draw, FixedVector(suite))
        suite.train_reverser(model, draw)
        for length in suite.LENGTHS:
            shares[length].append(suite.write_backwards(model, draw, length)[0])
        print(f"seed {seed}: {time.process_time() - started:.1f} s", file=sys.stderr)
    print({length: round(statistics.median(found), 2) for length, found in shares.items()})


if __name__ == "__main__":
    main()
