# ruff: noqa: E501 - one line for the forms of a statement
"""
Write a class that solves the built-in course independently, plant disguised copies in it, and see who is listed.

Run: ``python benchmarks/similar_class.py [--students 300] [--copies 30] [--seeds 3]``. Every student chooses each
statement's form alone among equivalent ones, with leanings of one's own (`@` or `matmul`, `size` or `shape`), the order
of statements that do not need each other, names, comments, type hints and layout. A copy gets new names, no comments,
another layout and another order of functions and methods, and its owner writes one in ten statements anew. Printed are
recall and precision, and how surprising the copies and the others are. Ends with status 1 if recall is under 0.9 or
precision under 0.9. The forms are made up, so the figures say how well copies stand out of chance, and not how a real
class writes.
"""

import argparse
import ast
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.cli.similarity import known_code
from grader.course.trees import builtin_course
from grader.model.classroom import Student
from grader.model.submission import Cell, SourceFile
from grader.similarity.compare import compare_class
from tests.unit.similarity.handed_in import disguise

# Each block is a function: its head, then slots. A slot is a choice of equivalent forms; slots in one tuple may stand
# in any order. Names in angle brackets are each student's own.
BLOCKS: list[list[object]] = [
    [
        "def create_padding_mask(<lengths>, <size>):",
        ["if <lengths>.dim() != 1:\n    raise ValueError('lengths')", "assert <lengths>.ndim == 1", ""],
        (
            ["<places> = torch.arange(<size>)", "<places> = torch.arange(0, <size>)", "<places> = torch.arange(<size>, device=<lengths>.device)"],
            ["<limit> = <lengths>.unsqueeze(1)", "<limit> = <lengths>[:, None]", "<limit> = <lengths>.view(-1, 1)", "<limit> = <lengths>.reshape(-1, 1)"],
        ),
        ["<inside> = <places> < <limit>", "<inside> = <places>.unsqueeze(0) < <limit>", "<inside> = <limit> > <places>", "<inside> = torch.lt(<places>, <limit>)"],
        ["return <inside>[:, None, None, :]", "return <inside>.unsqueeze(1).unsqueeze(2)", "return <inside>.view(<inside>.size(0), 1, 1, <size>)", "return <inside>.unsqueeze(1).unsqueeze(1)"],
    ],
    [
        "def create_causal_mask(<size>):",
        ["return torch.tril(torch.ones(<size>, <size>, dtype=torch.bool))", "return torch.ones(<size>, <size>).tril().bool()", "return torch.ones((<size>, <size>), dtype=torch.bool).tril()", "return ~torch.triu(torch.ones(<size>, <size>, dtype=torch.bool), diagonal=1)", "<row> = torch.arange(<size>)\nreturn <row>[:, None] >= <row>[None, :]", "<row> = torch.arange(<size>)\nreturn <row>.unsqueeze(0) <= <row>.unsqueeze(1)"],
    ],
    [
        "def combine_masks(<pad>, <causal>):",
        ["return <pad> & <causal>", "return torch.logical_and(<pad>, <causal>)", "return <causal> & <pad>", "return <pad> & <causal>.unsqueeze(0).unsqueeze(0)", "return <pad> & <causal>[None, None]", "return <pad> * <causal>"],
    ],
    [
        "def masked_softmax(<scores>, <mask>=None):",
        ["if <mask> is None:\n    return torch.softmax(<scores>, dim=-1)", "if <mask> is None:\n    return <scores>.softmax(-1)", "if <mask> is None:\n    <mask> = torch.ones_like(<scores>, dtype=torch.bool)", "if <mask> is None:\n    return F.softmax(<scores>, dim=-1)"],
        (
            ["<hidden> = <scores>.masked_fill(~<mask>, float('-inf'))", "<hidden> = torch.where(<mask>, <scores>, torch.tensor(float('-inf')))", "<hidden> = <scores>.masked_fill(<mask> == 0, -float('inf'))", "<hidden> = <scores>.masked_fill(<mask>.logical_not(), -math.inf)"],
            ["<empty> = ~<mask>.any(dim=-1, keepdim=True)", "<empty> = <mask>.sum(-1, keepdim=True) == 0", "<empty> = (~<mask>).all(dim=-1, keepdim=True)", "<empty> = <mask>.any(-1, keepdim=True).logical_not()"],
        ),
        ["<weights> = torch.softmax(<hidden>, dim=-1)", "<weights> = <hidden>.softmax(dim=-1)", "<weights> = F.softmax(<hidden>, dim=-1)", "<top> = <hidden>.max(-1, keepdim=True).values\n<grown> = (<hidden> - <top>).exp()\n<weights> = <grown> / <grown>.sum(-1, keepdim=True)"],
        ["return <weights>.masked_fill(<empty>, 0.0)", "return torch.where(<empty>, torch.zeros_like(<weights>), <weights>)", "return torch.nan_to_num(<weights>, nan=0.0)", "return <weights>.nan_to_num(0.0)", "<weights> = <weights>.masked_fill(<empty>, 0)\nreturn <weights>"],
    ],
    [
        "def scaled_dot_product_attention(<query>, <key>, <value>, <mask>=None):",
        ["<depth> = <query>.size(-1)", "<depth> = <query>.shape[-1]", "<depth> = <key>.shape[-1]", "*_, <depth> = <query>.shape"],
        ["<scores> = <query> @ <key>.transpose(-2, -1) / math.sqrt(<depth>)", "<scores> = torch.matmul(<query>, <key>.transpose(-2, -1)) / math.sqrt(<depth>)", "<scores> = (<query> @ <key>.mT) * <depth> ** -0.5", "<scores> = torch.matmul(<query>, <key>.transpose(-1, -2))\n<scores> = <scores> / <depth> ** 0.5", "<scores> = torch.einsum('...qd,...kd->...qk', <query>, <key>) / math.sqrt(<depth>)"],
        ["<weights> = masked_softmax(<scores>, <mask>)", "<weights> = masked_softmax(<scores>, mask=<mask>)", "if <mask> is not None:\n    <scores> = <scores>.masked_fill(~<mask>, float('-inf'))\n<weights> = torch.nan_to_num(<scores>.softmax(-1))"],
        ["return <weights> @ <value>, <weights>", "return torch.matmul(<weights>, <value>), <weights>", "<output> = <weights> @ <value>\nreturn <output>, <weights>", "<output> = torch.matmul(<weights>, <value>)\nreturn (<output>, <weights>)"],
    ],
    [
        "def split_heads(<x>, <heads>):",
        ["<batch>, <length>, <width> = <x>.shape", "<batch>, <length>, <width> = <x>.size()", "<batch> = <x>.size(0)\n<length> = <x>.size(1)\n<width> = <x>.size(2)"],
        ["if <width> % <heads> != 0:\n    raise ValueError('heads')", "assert <width> % <heads> == 0", "if <width> % <heads>:\n    raise ValueError(f'{<width>} {<heads>}')"],
        ["<x> = <x>.view(<batch>, <length>, <heads>, <width> // <heads>)", "<x> = <x>.reshape(<batch>, <length>, <heads>, -1)", "<x> = <x>.reshape(<batch>, <length>, <heads>, <width> // <heads>)", "<depth> = <width> // <heads>\n<x> = <x>.view(<batch>, <length>, <heads>, <depth>)"],
        ["return <x>.transpose(1, 2)", "return <x>.permute(0, 2, 1, 3)", "return <x>.transpose(1, 2).contiguous()", "return torch.transpose(<x>, 1, 2)"],
    ],
    [
        "def merge_heads(<x>):",
        ["<batch>, <heads>, <length>, <depth> = <x>.shape", "<batch>, <heads>, <length>, <depth> = <x>.size()", "<batch>, _, <length>, _ = <x>.shape\n<heads>, <depth> = <x>.size(1), <x>.size(3)"],
        ["return <x>.transpose(1, 2).reshape(<batch>, <length>, <heads> * <depth>)", "return <x>.transpose(1, 2).contiguous().view(<batch>, <length>, -1)", "return <x>.permute(0, 2, 1, 3).reshape(<batch>, <length>, -1)", "<x> = <x>.transpose(1, 2).contiguous()\nreturn <x>.view(<batch>, <length>, <heads> * <depth>)", "return <x>.transpose(1, 2).flatten(2)"],
    ],
    [
        "class MultiHeadAttention(nn.Module):\n    def __init__(self, <width>, <heads>, <rate>=0.0):",
        ["super().__init__()", "super(MultiHeadAttention, self).__init__()"],
        ["if <width> % <heads> != 0:\n    raise ValueError('width')", "assert <width> % <heads> == 0", ""],
        (
            ["self.num_heads = <heads>", "self.num_heads = int(<heads>)"],
            ["self.d_k = <width> // <heads>", "self.head_dim = <width> // <heads>", "self.d_model = <width>"],
            ["self.w_q = nn.Linear(<width>, <width>)", "self.w_q = nn.Linear(<width>, <width>, bias=True)", "self.w_q = nn.Linear(in_features=<width>, out_features=<width>)"],
            ["self.w_k = nn.Linear(<width>, <width>)", "self.w_k = nn.Linear(<width>, <width>, bias=True)", "self.w_k = nn.Linear(in_features=<width>, out_features=<width>)"],
            ["self.w_o = nn.Linear(<width>, <width>)", "self.w_o = nn.Linear(<heads> * (<width> // <heads>), <width>)"],
            ["self.dropout = nn.Dropout(<rate>)", "self.dropout = nn.Dropout(p=<rate>)", "self.rate = <rate>"],
        ),
        ["self.w_v = nn.Linear(<width>, <width>)", "self.w_v = nn.Linear(<width>, <width>, bias=True)"],
    ],
    [
        "    def forward(self, <query>, <key>, <value>, <mask>=None):",
        (
            ["<q> = split_heads(self.w_q(<query>), self.num_heads)", "<q> = self.w_q(<query>)\n<q> = split_heads(<q>, self.num_heads)"],
            ["<k> = split_heads(self.w_k(<key>), self.num_heads)", "<k> = self.w_k(<key>)\n<k> = split_heads(<k>, self.num_heads)"],
            ["<v> = split_heads(self.w_v(<value>), self.num_heads)", "<v> = self.w_v(<value>)\n<v> = split_heads(<v>, self.num_heads)"],
        ),
        ["if <mask> is not None and <mask>.dim() == 3:\n    <mask> = <mask>.unsqueeze(1)", "if <mask> is not None and <mask>.ndim == 2:\n    <mask> = <mask>[None, None]", ""],
        ["<output>, <weights> = scaled_dot_product_attention(<q>, <k>, <v>, <mask>)", "<output>, <weights> = scaled_dot_product_attention(<q>, <k>, <v>, mask=<mask>)"],
        ["return self.w_o(merge_heads(<output>)), <weights>", "<output> = merge_heads(<output>)\nreturn self.w_o(<output>), <weights>", "<merged> = self.w_o(merge_heads(<output>))\nreturn <merged>, <weights>"],
    ],
    [
        "def sinusoidal_encoding(<length>, <width>):",
        (
            ["<places> = torch.arange(<length>).unsqueeze(1)", "<places> = torch.arange(<length>, dtype=torch.float32)[:, None]", "<places> = torch.arange(0, <length>).float().unsqueeze(1)", "<places> = torch.arange(<length>).view(-1, 1).float()"],
            ["<rates> = torch.exp(torch.arange(0, <width>, 2) * (-math.log(10000.0) / <width>))", "<rates> = 10000.0 ** (-torch.arange(0, <width>, 2) / <width>)", "<rates> = 1.0 / (10000 ** (torch.arange(0, <width>, 2).float() / <width>))", "<rates> = torch.pow(10000.0, -torch.arange(0, <width>, 2).float() / <width>)"],
            ["<table> = torch.zeros(<length>, <width>)", "<table> = torch.empty(<length>, <width>)", "<table> = torch.zeros((<length>, <width>))"],
        ),
        ["<angles> = <places> * <rates>", "<angles> = torch.mul(<places>, <rates>)", "<angles> = <places> @ <rates>.unsqueeze(0)", "<angles> = <places> * <rates>[None, :]"],
        (
            ["<table>[:, 0::2] = torch.sin(<angles>)", "<table>[:, ::2] = <angles>.sin()", "<table>[..., 0::2] = torch.sin(<angles>)"],
            ["<table>[:, 1::2] = torch.cos(<angles>)[:, : <width> // 2]", "<table>[:, 1::2] = <angles>.cos()[:, : <width> // 2]", "<table>[:, 1::2] = torch.cos(<angles>[:, : <width> // 2])"],
        ),
        ["return <table>"],
    ],
    [
        "class PositionalEncoding(nn.Module):\n    def __init__(self, <width>, <limit>=5000, <rate>=0.0):",
        ["super().__init__()", "super(PositionalEncoding, self).__init__()"],
        (
            ["self.register_buffer('table', sinusoidal_encoding(<limit>, <width>))", "<table> = sinusoidal_encoding(<limit>, <width>)\nself.register_buffer('pe', <table>.unsqueeze(0))", "self.register_buffer('table', sinusoidal_encoding(<limit>, <width>), persistent=False)"],
            ["self.dropout = nn.Dropout(<rate>)", "self.dropout = nn.Dropout(p=<rate>)"],
        ),
    ],
    [
        "    def forward(self, <x>):",
        ["if <x>.size(1) > self.table.size(0):\n    raise ValueError('too long')", "assert <x>.shape[1] <= self.table.shape[0]", "<length> = <x>.shape[1]\nif <length> > len(self.table):\n    raise ValueError(f'{<length>}')"],
        ["return self.dropout(<x> + self.table[: <x>.size(1)])", "<x> = <x> + self.table[:<x>.shape[1]]\nreturn self.dropout(<x>)", "return self.dropout(<x> + self.table[:<x>.shape[1], :].to(<x>.dtype))", "<x> = <x> + self.table[:<x>.size(1)].unsqueeze(0)\nreturn self.dropout(<x>)"],
    ],
]  # fmt: skip
LEANINGS = (
    "matmul",
    "size(",
    "shape",
    "reshape",
    "view(",
    "unsqueeze",
    "[None",
    "assert",
    "F.softmax",
    "math.",
    "float(",
)
SYNONYMS = ("a", "b", "tmp", "res", "inp", "val", "data", "arr", "t", "cur", "out_", "mat", "vec", "foo", "hid", "part")


class Writer:
    """One student: leanings, names, and a hand."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.likes = {sign: chance.uniform(0.3, 3.0) for sign in LEANINGS}
        self.names: dict[str, str] = {}

    def form(self, forms: list[str]) -> str:
        """Choose one of several equivalent forms."""
        weights = []
        for text in forms:
            weight = 1.0
            for sign, liking in self.likes.items():
                if sign in text:
                    weight *= liking
            weights.append(weight)
        return self.chance.choices(forms, weights)[0]

    def own_names(self, text: str) -> str:
        """Put in this student's names."""
        while "<" in text and ">" in text[text.index("<") :]:
            start = next((i for i in range(len(text)) if text[i] == "<" and text[i + 1 : i + 2].isalpha()), None)
            if start is None:
                return text
            end = text.index(">", start)
            word = text[start + 1 : end]
            if word not in self.names:
                self.names[word] = self.chance.choice([word, word[:1] + "_" + word[-1:], f"{self.chance.choice(SYNONYMS)}_{word[0]}", f"my_{word}"])  # fmt: skip
            text = text[:start] + self.names[word] + text[end + 1 :]
        return text

    def write(self) -> str:
        """Write the whole course."""
        lines = ["import math", "import torch", "from torch import nn", "import torch.nn.functional as F"]
        self.chance.shuffle(lines)
        for head, *slots in BLOCKS:
            assert isinstance(head, str)
            self.names = {}
            depth = 2 if head.startswith(("    ", "class")) else 1
            body: list[str] = []
            for slot in slots:
                together = [self.form(forms) for forms in slot] if isinstance(slot, tuple) else [self.form(slot)]
                self.chance.shuffle(together)
                body += together
            lines += ["", *self.own_names(head).split("\n")]
            for text in body:
                if text and self.chance.random() < 0.15:
                    lines.append("    " * depth + f"# {self.chance.choice(SYNONYMS)} {self.chance.randrange(10**6)}")
                lines += ["    " * depth + line for line in self.own_names(text).split("\n") if line]
        return "\n".join(lines) + "\n"

    def copy(self, text: str, rewritten: float) -> str:
        """Disguise another's work, and write some statements anew."""
        lines = disguise(text).split("\n")
        for place, line in enumerate(lines):
            if " = " in line and self.chance.random() < rewritten:
                indent = line[: len(line) - len(line.lstrip())]
                target, _, value = line.strip().partition(" = ")
                if target.isidentifier():
                    lines[place] = f"{indent}other = {value}\n{indent}{target} = other"
        return "\n".join(lines)


def make_class(
    students: int, copies: int, seed: int, rewritten: float = 0.1
) -> tuple[dict[str, str], set[frozenset[str]]]:
    """Return everybody's work, and who copied from whom."""
    chance = random.Random(seed)
    texts = {f"s{number:04}": Writer(chance).write() for number in range(students - copies)}
    sources = chance.sample(sorted(texts), copies)
    planted = set()
    for number, source in enumerate(sources):
        copier = f"c{number:04}"
        texts[copier] = Writer(chance).copy(texts[source], rewritten)
        planted.add(frozenset((source, copier)))
    return texts, planted


def main() -> None:
    """Make classes, compare them, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--copies", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rewritten", type=float, default=0.1, help="share of assignments that a copier writes anew")
    arguments = parser.parse_args()
    trees = builtin_course()
    known = list(known_code(trees, ("masking", "scaling", "heads", "multihead", "positional")))
    totals = [0, 0, 0]
    for seed in range(1, arguments.seeds + 1):
        texts, planted = make_class(arguments.students, arguments.copies, seed, arguments.rewritten)
        for text in texts.values():
            ast.parse(text)
        class_ = [(Student(id=name), (SourceFile(path="all.py", cells=(Cell(text=text),)),)) for name, text in texts.items()]  # fmt: skip
        started = time.monotonic()
        report = compare_class(class_, known)
        took = time.monotonic() - started
        listed = {frozenset((pair.left.student.id, pair.right.student.id)) for pair in report.pairs}
        listed |= {frozenset(student.id for student in group.students) for group in report.groups}
        found = len(listed & planted)
        totals = [totals[0] + found, totals[1] + len(planted), totals[2] + len(listed) + report.pairs_left_out]
        print(
            f"seed {seed}: {found} of {len(planted)} copies found, {len(listed - planted)} others listed, {took:.1f} s"
        )
    recall, precision = totals[0] / max(1, totals[1]), totals[0] / max(1, totals[2])
    print(f"recall {recall:.2f}, precision {precision:.2f}")
    if arguments.copies and (recall < 0.9 or precision < 0.9):
        raise SystemExit(1)
    if not arguments.copies and totals[2]:
        raise SystemExit("somebody is listed who copied from nobody")


if __name__ == "__main__":
    main()
