"""Solutions of an exercise by people who worked alone, and copies of them in disguise."""

import ast
import random

from grader.model.classroom import Student
from grader.model.submission import Cell, FileKind, SourceFile

STUB = '''
"""Exercise: scaling"""
import math
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    """Return output and weights."""
    raise NotImplementedError("scaled_dot_product_attention is still to be written")
'''

# Five lines, right, by three people: alike, because there are few ways to write them.
FIVE_LINES = (
    """
import math
import torch

def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
""",
    """
import torch, math

def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    attn = torch.softmax(scores, dim=-1)
    return torch.matmul(attn, v), attn
""",
    """
from math import sqrt
import torch

def scaled_dot_product_attention(query, key, value, mask=None):
    similarity = query @ key.transpose(-2, -1) / sqrt(query.shape[-1])
    if mask is not None:
        similarity = similarity.masked_fill(mask == 0, float("-inf"))
    p = torch.softmax(similarity, dim=-1)
    return p @ value, p
""",
)

OWN_WORK = '''
import torch


class RunningAttention:
    """Attention over blocks of keys, so that no large matrix is ever held."""

    def __init__(self, block=16):
        self.block = block
        self.seen = 0

    def start(self, query):
        # nothing seen yet
        self.highest = torch.full(query.shape[:-1], float("-inf"))
        self.total = torch.zeros(query.shape[:-1])
        self.sum = torch.zeros_like(query)

    def feed(self, query, keys, values):
        logits = query @ keys.transpose(-2, -1) * keys.shape[-1] ** -0.5
        top = torch.maximum(self.highest, logits.amax(dim=-1))
        rescale = torch.exp(self.highest - top)
        grown = torch.exp(logits - top.unsqueeze(-1))
        self.sum = self.sum * rescale.unsqueeze(-1) + grown @ values
        self.total = self.total * rescale + grown.sum(dim=-1)
        self.highest = top
        self.seen += keys.shape[-2]


def attend(query, key, value):
    state = RunningAttention(block=32)
    state.start(query)
    for first in range(0, key.shape[-2], state.block):
        last = min(first + state.block, key.shape[-2])
        state.feed(query, key[..., first:last, :], value[..., first:last, :])
    return state.sum / state.total.clamp(min=1e-9).unsqueeze(-1)
'''


def file_of(text, path="attention.py"):
    """One module."""
    return SourceFile(path=path, cells=(Cell(text=text),))


def notebook_of(*cells, path="attention.ipynb"):
    """One notebook."""
    return SourceFile(path=path, kind=FileKind.NOTEBOOK, cells=tuple(Cell(text=text) for text in cells))


def handed_in(**texts):
    """A class: student id to source."""
    return [(Student(id=student, name=student.title()), (file_of(text),)) for student, text in texts.items()]


def filler(number):
    """Code of somebody's own that shares nothing with anybody's."""
    chance = random.Random(number)
    calls = ["cumsum", "roll", "flip", "tril", "triu", "diff", "sort", "unique", "topk", "logsumexp", "cumprod", "norm"]
    lines = [
        f"    x{line} = torch.{chance.choice(calls)}(x{line - 1}, {chance.randrange(10**6)})" for line in range(1, 20)
    ]
    return "import torch\n\ndef own(x0):\n" + "\n".join(lines) + "\n    return x19\n"


class _Rename(ast.NodeTransformer):
    def __init__(self, names):
        self.new = {name: f"renamed_{place}" for place, name in enumerate(sorted(names))}

    def visit_Name(self, node):
        """Rename a variable."""
        node.id = self.new.get(node.id, node.id)
        return node

    def visit_arg(self, node):
        """Rename a parameter."""
        node.arg = self.new.get(node.arg, node.arg)
        return node

    def visit_Attribute(self, node):
        """Rename what the code keeps on self."""
        self.generic_visit(node)
        node.attr = self.new.get(node.attr, node.attr)
        return node

    def visit_FunctionDef(self, node):
        """Rename a function."""
        self.generic_visit(node)
        node.name = self.new.get(node.name, node.name)
        return node


def disguise(text):
    """The same code with new names and layout, without comments, definitions and methods in another order."""
    tree = ast.parse(text)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            names.add(node.name)
    tree = _Rename(names - {"self", "block"}).visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            node.body = [part for part in node.body if not isinstance(part, ast.Expr)][::-1]
    return ast.unparse(ast.fix_missing_locations(tree))
