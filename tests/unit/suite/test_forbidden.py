"""What a rubric forbids is found in all its disguises, and nothing else is."""

import textwrap
import time
from collections.abc import Mapping

import pytest

from grader.model.rubric import Forbidden
from grader.model.submission import Cell, FileKind, SourceFile
from grader.sandbox.stand_ins import StandIn
from grader.suite import forbidden
from grader.suite.forbidden import Findings, Use, find_forbidden, search_within_limits

SDPA = "torch.nn.functional.scaled_dot_product_attention"
MHA = "torch.nn.MultiheadAttention"
MHA_FORWARD = "torch.nn.functional.multi_head_attention_forward"
FORBIDS = [Forbidden(name=name, why="Doing it by hand is the exercise.") for name in (SDPA, MHA, MHA_FORWARD)]
PROMISED = ["scaled_dot_product_attention", "MultiHeadAttention"]

BY_HAND = """
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
"""

STAND_IN = StandIn("scaling", ("scaled_dot_product_attention",), BY_HAND)


def files_of(sources: Mapping[str, str] | str) -> list[SourceFile]:
    """Return a submission; one text is the file ``attention.py``."""
    if isinstance(sources, str):
        sources = {"attention.py": sources}
    return [SourceFile(path=path, cells=(Cell(text=textwrap.dedent(text)),)) for path, text in sources.items()]


def notebook(*cells: str) -> list[SourceFile]:
    """Return a submission of one notebook."""
    parts = tuple(Cell(text=textwrap.dedent(text), label=f"cell {number}") for number, text in enumerate(cells, 1))
    return [SourceFile(path="attention.ipynb", kind=FileKind.NOTEBOOK, cells=parts)]


def uses_in(sources: Mapping[str, str] | str, **options) -> list[Use]:
    """Search a submission whose entry is its first file."""
    files = files_of(sources)
    return find_forbidden(files, files[0].path, PROMISED, FORBIDS, **options)


# Each of these lets torch do the exercise: a text, or files of which the first is the entry.
EVASIONS: dict[str, Mapping[str, str] | str] = {
    "methodcaller": """
        import operator, torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return operator.methodcaller("scaled_dot_product_attention", q, k, v)(F), None
    """,
    "captured by a match": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            match F:
                case module:
                    return module.scaled_dot_product_attention(q, k, v), None
    """,
    "module in a table": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            modules = {"f": F}
            return modules["f"].scaled_dot_product_attention(q, k, v), None
    """,
    "plain call": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask), None
    """,
    "imported under another name": """
        from torch.nn.functional import scaled_dot_product_attention as sdpa
        def scaled_dot_product_attention(q, k, v, mask=None):
            return sdpa(q, k, v), None
    """,
    "imported under the promised name": """
        from torch.nn.functional import scaled_dot_product_attention
    """,
    "imported over the learner's own": BY_HAND
    + """
from torch.nn.functional import scaled_dot_product_attention
""",
    "full path": """
        import torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v), None
    """,
    "through nn": """
        from torch import nn
        def scaled_dot_product_attention(q, k, v, mask=None):
            return nn.functional.scaled_dot_product_attention(q, k, v), None
    """,
    "imported inside": """
        def scaled_dot_product_attention(q, k, v, mask=None):
            from torch.nn import functional
            return functional.scaled_dot_product_attention(q, k, v), None
    """,
    "module alias": """
        import torch.nn.functional as F
        f = F
        def scaled_dot_product_attention(q, k, v, mask=None):
            g = f
            return g.scaled_dot_product_attention(q, k, v), None
    """,
    "assignment alias": """
        import torch.nn.functional as F
        attend = F.scaled_dot_product_attention
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "promised name assigned": """
        import torch.nn.functional as F
        scaled_dot_product_attention = F.scaled_dot_product_attention
    """,
    "promised name as a lambda": """
        import torch.nn.functional as F
        scaled_dot_product_attention = lambda q, k, v, mask=None: (F.scaled_dot_product_attention(q, k, v), None)
    """,
    "tuple assignment": """
        import math
        import torch.nn.functional as F
        root, attend = math.sqrt, F.scaled_dot_product_attention
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "walrus": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return (f := F).scaled_dot_product_attention(q, k, v), None
    """,
    "getattr": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return getattr(F, "scaled_dot_product_attention")(q, k, v), None
    """,
    "getattr of joined constants": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return getattr(F, "scaled_dot_" + "product" + f"_{'attention'}")(q, k, v), None
    """,
    "getattr of a named constant": """
        import torch
        NAME = "_".join(["scaled", "dot", "product", "attention"])
        def scaled_dot_product_attention(q, k, v, mask=None):
            return getattr(torch.nn.functional, NAME)(q, k, v), None
    """,
    "getattr of a reversed constant": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return getattr(F, "noitnetta_tcudorp_tod_delacs"[::-1])(q, k, v), None
    """,
    "getattr of character codes": f"""
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            name = "".join(chr(c) for c in {[ord(c) for c in "scaled_dot_product_attention"]})
            return getattr(F, name)(q, k, v), None
    """,
    "getattr under another name": """
        import torch.nn.functional as F
        look = getattr
        def scaled_dot_product_attention(q, k, v, mask=None):
            return look(F, "scaled_dot_product_attention")(q, k, v), None
    """,
    "attrgetter": """
        import operator, torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            return operator.attrgetter("nn.functional.scaled_dot_product_attention")(torch)(q, k, v), None
    """,
    "reduced getattr": """
        import torch
        from functools import reduce
        def scaled_dot_product_attention(q, k, v, mask=None):
            return reduce(getattr, ["nn", "functional", "scaled_dot_product_attention"], torch)(q, k, v), None
    """,
    "dictionary of the module": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return F.__dict__["scaled_dot_product_attention"](q, k, v), None
    """,
    "get from the dictionary": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return F.__dict__.get("scaled_dot_product_attention")(q, k, v), None
    """,
    "vars": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return vars(F)["scaled_dot_product_attention"](q, k, v), None
    """,
    "globals of another function": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return F.relu.__globals__["scaled_dot_product_attention"](q, k, v), None
    """,
    "import_module": """
        import importlib
        def scaled_dot_product_attention(q, k, v, mask=None):
            return importlib.import_module("torch.nn.functional").scaled_dot_product_attention(q, k, v), None
    """,
    "import_module imported": """
        from importlib import import_module as load
        F = load("torch.nn." + "functional")
        def scaled_dot_product_attention(q, k, v, mask=None):
            return F.scaled_dot_product_attention(q, k, v), None
    """,
    "dunder import": """
        def scaled_dot_product_attention(q, k, v, mask=None):
            return __import__("torch").nn.functional.scaled_dot_product_attention(q, k, v), None
    """,
    "sys.modules": """
        import sys
        def scaled_dot_product_attention(q, k, v, mask=None):
            return sys.modules["torch.nn.functional"].scaled_dot_product_attention(q, k, v), None
    """,
    "eval": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return eval("F.scaled_dot_product_attention(q, k, v)"), None
    """,
    "eval gives the function": """
        import torch.nn.functional as F
        attend = eval("F.scaled_dot_" + "product_attention")
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "exec inside": """
        def scaled_dot_product_attention(q, k, v, mask=None):
            box = {"q": q, "k": k, "v": v}
            exec("import torch.nn.functional as F\\nout = F.scaled_dot_product_attention(q, k, v)", box)
            return box["out"], None
    """,
    "exec at import": """
        exec("from torch.nn.functional import scaled_dot_product_attention as attend")
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "star import": """
        from torch.nn.functional import *
        attend = scaled_dot_product_attention
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "star import over the learner's own": BY_HAND + "\nfrom torch.nn.functional import *\n",
    "torch.ops": """
        import torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            return torch.ops.aten.scaled_dot_product_attention.default(q, k, v), None
    """,
    "torch._C._nn": """
        import torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            return torch._C._nn.scaled_dot_product_attention(q, k, v), None
    """,
    "flash twin": """
        import torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            return torch._scaled_dot_product_flash_attention_for_cpu(q, k, v)[0], None
    """,
    "math twin": """
        from torch import _scaled_dot_product_attention_math as helper
        def scaled_dot_product_attention(q, k, v, mask=None):
            return helper(q, k, v)
    """,
    "flex attention": """
        from torch.nn.attention.flex_attention import flex_attention
        def scaled_dot_product_attention(q, k, v, mask=None):
            return flex_attention(q, k, v), None
    """,
    "looked up in the compiler's registry": """
        import torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            return torch._C._jit_get_operation("aten::scaled_dot_product_attention")[0](q, k, v), None
    """,
    "in the compiler's language": """
        import torch
        unit = torch.jit.CompilationUnit("def f(q, k, v): return torch.scaled_dot_product_attention(q, k, v)")
        def scaled_dot_product_attention(q, k, v, mask=None):
            return unit.f(q, k, v), None
    """,
    "partial": """
        import functools
        import torch.nn.functional as F
        attend = functools.partial(F.scaled_dot_product_attention, dropout_p=0.0)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "default argument": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None, attend=F.scaled_dot_product_attention):
            return attend(q, k, v), None
    """,
    "decorator": """
        import torch.nn.functional as F
        def replaced(function):
            return lambda q, k, v, mask=None: (F.scaled_dot_product_attention(q, k, v), None)
        @replaced
        def scaled_dot_product_attention(q, k, v, mask=None):
            return q
    """,
    "table": """
        import torch.nn.functional as F
        TABLE = {"fast": F.scaled_dot_product_attention}
        def scaled_dot_product_attention(q, k, v, mask=None):
            return TABLE["fast"](q, k, v), None
    """,
    "table filled later": """
        import torch.nn.functional as F
        TABLE = {}
        def scaled_dot_product_attention(q, k, v, mask=None):
            return TABLE["fast"](q, k, v), None
        TABLE["fast"] = F.scaled_dot_product_attention
    """,
    "table filled by a method": """
        import torch.nn.functional as F
        TABLE = []
        TABLE.append(F.scaled_dot_product_attention)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return TABLE[0](q, k, v), None
    """,
    "registered by a decorator": """
        import torch.nn.functional as F
        TABLE = {}
        def register(function):
            TABLE["fast"] = function
            return function
        @register
        def helper(q, k, v):
            return F.scaled_dot_product_attention(q, k, v)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return TABLE["fast"](q, k, v), None
    """,
    "set through a global": """
        import torch.nn.functional as F
        chosen = None
        def choose(function):
            global chosen
            chosen = function
        choose(F.scaled_dot_product_attention)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return chosen(q, k, v), None
    """,
    "globals written": """
        import torch.nn.functional as F
        globals()["attend"] = F.scaled_dot_product_attention
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "globals read": """
        import torch.nn.functional as F
        def helper(q, k, v):
            return F.scaled_dot_product_attention(q, k, v)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return globals()["helper"](q, k, v), None
    """,
    "setattr on the class": """
        import torch
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return self.attend(q, k, v), None
        setattr(MultiHeadAttention, "attend", staticmethod(nn.functional.scaled_dot_product_attention))
    """,
    "method replaced afterwards": """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return q, None
        def better(self, q, k, v, mask=None):
            return nn.functional.scaled_dot_product_attention(q, k, v), None
        MultiHeadAttention.forward = better
    """,
    "library changed": """
        import torch
        import torch.nn.functional as F
        torch.my_attention = F.scaled_dot_product_attention
        def scaled_dot_product_attention(q, k, v, mask=None):
            return torch.my_attention(q, k, v), None
    """,
    "helper": """
        import torch.nn.functional as F
        def helper(q, k, v):
            def inner():
                return F.scaled_dot_product_attention(q, k, v)
            return inner()
        def scaled_dot_product_attention(q, k, v, mask=None):
            return helper(q, k, v), None
    """,
    "helper in a sibling": {
        "attention.py": """
            from helpers import helper as h
            def scaled_dot_product_attention(q, k, v, mask=None):
                return h(q, k, v), None
        """,
        "helpers.py": """
            import torch.nn.functional as F
            def helper(q, k, v):
                return F.scaled_dot_product_attention(q, k, v)
        """,
    },
    "sibling as a module": {
        "attention.py": """
            import helpers
            def scaled_dot_product_attention(q, k, v, mask=None):
                return helpers.helper(q, k, v), None
        """,
        "helpers.py": """
            from torch.nn.functional import scaled_dot_product_attention as helper
        """,
    },
    "star import of a sibling": {
        "attention.py": """
            from helpers import *
            def scaled_dot_product_attention(q, k, v, mask=None):
                return helper(q, k, v), None
        """,
        "helpers.py": """
            from torch.nn.functional import scaled_dot_product_attention as helper
        """,
    },
    "relative sibling two steps away": {
        "work/attention.py": """
            from .middle import helper
            def scaled_dot_product_attention(q, k, v, mask=None):
                return helper(q, k, v), None
        """,
        "work/middle.py": "from work.deep.last import helper",
        "work/deep/last.py": """
            import torch
            helper = torch.nn.functional.scaled_dot_product_attention
        """,
    },
    "sibling that changes the library": {
        "attention.py": """
            import torch, patches
            def scaled_dot_product_attention(q, k, v, mask=None):
                return torch.softmax(q, k, v), None
        """,
        "patches.py": """
            import torch
            torch.softmax = torch.nn.functional.scaled_dot_product_attention
        """,
    },
    "promised class from a sibling": {
        "attention.py": "from impl import MultiHeadAttention",
        "impl.py": """
            from torch import nn
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.inner = nn.MultiheadAttention(d_model, num_heads)
        """,
    },
    "module inside": """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.inner = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
            def forward(self, q, k, v, mask=None):
                return self.inner(q, k, v)
    """,
    "subclass": """
        from torch import nn
        class MultiHeadAttention(nn.MultiheadAttention):
            pass
    """,
    "subclass of a subclass": """
        import torch.nn as nn
        class Base(nn.modules.activation.MultiheadAttention):
            pass
        class MultiHeadAttention(Base):
            pass
    """,
    "promised name is the module": """
        from torch.nn import MultiheadAttention as MultiHeadAttention
    """,
    "encoder layer": """
        import torch
        class MultiHeadAttention(torch.nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.layer = torch.nn.TransformerEncoderLayer(d_model, num_heads)
            def forward(self, q, k, v, mask=None):
                return self.layer.self_attn(q, k, v)
    """,
    "functional form": """
        import torch.nn.functional as F
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return F.multi_head_attention_forward(q, k, v, 12, 3)
    """,
    "native form": """
        import torch
        class MultiHeadAttention(torch.nn.Module):
            def forward(self, q, k, v, mask=None):
                return torch._native_multi_head_attention(q, k, v, 12, 3)
    """,
    "method named by another": """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return self.attend(q, k, v), None
            def attend(self, q, k, v):
                return nn.functional.scaled_dot_product_attention(q, k, v)
    """,
    "method looked up by text": """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return getattr(self, "att" + "end")(q, k, v), None
            def attend(self, q, k, v):
                return nn.functional.scaled_dot_product_attention(q, k, v)
    """,
    "class attribute": """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            attend = staticmethod(nn.functional.scaled_dot_product_attention)
            def forward(self, q, k, v, mask=None):
                return self.attend(q, k, v), None
    """,
    "class as a cupboard": """
        import torch.nn.functional as F
        class Tools:
            @staticmethod
            def attend(q, k, v):
                return F.scaled_dot_product_attention(q, k, v)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return Tools.attend(q, k, v), None
    """,
    "one branch": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            if mask is None:
                return F.scaled_dot_product_attention(q, k, v), None
            return q, None
    """,
    "fallback import": """
        try:
            from torch.nn.functional import scaled_dot_product_attention as attend
        except ImportError:
            attend = None
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "not run as a program": """
        import torch.nn.functional as F
        if __name__ != "__main__":
            attend = F.scaled_dot_product_attention
        def scaled_dot_product_attention(q, k, v, mask=None):
            return attend(q, k, v), None
    """,
    "precomputed at import": """
        import torch
        import torch.nn.functional as F
        answer = F.scaled_dot_product_attention(torch.ones(1, 5, 4), torch.ones(1, 7, 4), torch.ones(1, 7, 4))
        def scaled_dot_product_attention(q, k, v, mask=None):
            return answer, None
    """,
    "comprehension": """
        import torch
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return torch.stack([F.scaled_dot_product_attention(a, b, c) for a, b, c in zip(q, k, v)]), None
    """,
    "passed as an argument": """
        import torch.nn.functional as F
        def call(function, *args):
            return function(*args)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return call(F.scaled_dot_product_attention, q, k, v), None
    """,
    "loop over names": """
        import torch.nn.functional as F
        for name in ["relu", "scaled_dot_product_attention"]:
            globals()[name[:5]] = getattr(F, name)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return scale(q, k, v), None
    """,
}

# Each of these does the exercise by hand, or does not touch it.
INNOCENT: dict[str, Mapping[str, str] | str] = {
    "by hand": "import torch\n" + BY_HAND,
    "the promised name itself": {
        "multihead.py": """
            from torch import nn
            from scaling import scaled_dot_product_attention
            from heads import split_heads, merge_heads
            class MultiHeadAttention(nn.Module):
                def forward(self, q, k, v, mask=None):
                    return scaled_dot_product_attention(q, k, v, mask)
        """,
        "scaling.py": "import torch\n" + BY_HAND,
        "heads.py": "def split_heads(x, n): return x\ndef merge_heads(x): return x\n",
    },
    "sibling as a module": {
        "multihead.py": """
            import scaling
            class MultiHeadAttention:
                def forward(self, q, k, v, mask=None):
                    return scaling.scaled_dot_product_attention(q, k, v, mask)
        """,
        "scaling.py": "import torch\n" + BY_HAND,
    },
    "sibling called F": {
        "multihead.py": """
            import scaling as F
            class MultiHeadAttention:
                def forward(self, q, k, v, mask=None):
                    return F.scaled_dot_product_attention(q, k, v, mask)
        """,
        "scaling.py": "import torch\n" + BY_HAND,
    },
    "star import of a sibling": {
        "multihead.py": """
            from scaling import *
            class MultiHeadAttention:
                def forward(self, q, k, v, mask=None):
                    return scaled_dot_product_attention(q, k, v, mask)
        """,
        "scaling.py": "import torch\n" + BY_HAND,
    },
    "variable called F": """
        def scaled_dot_product_attention(q, k, v, mask=None):
            F = q.size(-1)
            return q / F, None
    """,
    "parameter that hides the module": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, F=None):
            return F.scaled_dot_product_attention(q, k, v), None
    """,
    "method of the same name": """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def scaled_dot_product_attention(self, q, k, v):
                return q @ k.mT @ v
            def forward(self, q, k, v, mask=None):
                return self.scaled_dot_product_attention(q, k, v), None
    """,
    "attribute of the same name": """
        from torch import nn
        class MyMultiHeadAttention(nn.Module):
            pass
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.MultiheadAttention = self.attention = MyMultiHeadAttention()
            def forward(self, q, k, v, mask=None):
                return self.MultiheadAttention(q, k, v)
    """,
    "class of the same name": """
        from torch import nn
        class MultiheadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return q, None
        MultiHeadAttention = MultiheadAttention
    """,
    "other functions of the library": """
        import torch
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            weights = F.dropout(F.softmax(q @ k.mT, dim=-1), p=0.0)
            return torch.einsum("bqk,bkd->bqd", weights, v), weights
    """,
    "unused import": """
        import torch
        from torch.nn.functional import softmax, scaled_dot_product_attention as reference
        def scaled_dot_product_attention(q, k, v, mask=None):
            return softmax(q @ k.mT, -1) @ v, None
    """,
    "star import under the learner's own": "import torch\nfrom torch.nn.functional import *\n" + BY_HAND,
    "import under the learner's own": """
        import torch
        from torch.nn.functional import scaled_dot_product_attention
        """
    + textwrap.indent(BY_HAND, " " * 8),
    "comparison function": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return q @ k.mT @ v, None
        def compare(q, k, v):
            return scaled_dot_product_attention(q, k, v)[0] - F.scaled_dot_product_attention(q, k, v)
    """,
    "comparison when run as a program": """
        import torch
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return q @ k.mT @ v, None
        if __name__ == "__main__":
            q = torch.ones(5, 4)
            MultiHeadAttention = F.scaled_dot_product_attention
            print(F.scaled_dot_product_attention(q, q, q))
    """,
    "comparison when run as a program, with more conditions": """
        import sys
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return q @ k.mT @ v, None
        if "__main__" == __name__ and len(sys.argv) > 1:
            scaled_dot_product_attention = F.scaled_dot_product_attention
    """,
    "comparison at the end of the file": """
        import torch
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return q @ k.mT @ v, None
        q, k, v = torch.ones(3, 2, 5, 4)
        out, weights = scaled_dot_product_attention(q, k, v)
        expected = F.scaled_dot_product_attention(q, k, v)
        print("difference", (out - expected).abs().max())
        assert torch.allclose(scaled_dot_product_attention(q, k, v)[0], F.scaled_dot_product_attention(q, k, v))
    """,
    "comparison with the library's module": """
        import torch
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.W_q = nn.Linear(d_model, d_model)
            def forward(self, q, k, v, mask=None):
                return self.W_q(q), None
        def copy_weights(mine, reference):
            mine.W_q.weight.data = reference.in_proj_weight[:12]
        mine, reference = MultiHeadAttention(12, 3), nn.MultiheadAttention(12, 3)
        copy_weights(mine, reference)
        mine.eval()
        reference.eval()
        for layer in (mine, reference, nn.TransformerEncoderLayer(12, 3)):
            print(sum(p.numel() for p in layer.parameters()))
    """,
    "benchmark": """
        import timeit, torch
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return q @ k.mT @ v, None
        def seconds(function, *args):
            times = []
            times.append(timeit.timeit(lambda: function(*args), number=3))
            return min(times)
        q = torch.ones(5, 4)
        print(seconds(scaled_dot_product_attention, q, q, q), seconds(F.scaled_dot_product_attention, q, q, q))
    """,
    "test functions beside": """
        import torch
        import torch.nn.functional as F
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return q, None
        class TestIt:
            def test_against_torch(self):
                assert nn.MultiheadAttention(4, 2) is not None
        def test_values():
            F.scaled_dot_product_attention(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2))
    """,
    "debug method that nobody names": """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                return q, None
            def compare_with_torch(self, q):
                return nn.MultiheadAttention(12, 3)(q, q, q)
    """,
    "comments and docstrings": '''
        import torch
        # F.scaled_dot_product_attention(q, k, v) would do it all; nn.MultiheadAttention too.
        def scaled_dot_product_attention(q, k, v, mask=None):
            """Like torch.nn.functional.scaled_dot_product_attention, see nn.MultiheadAttention."""
            note = "torch.nn.functional.scaled_dot_product_attention(q, k, v)"
            assert q.dim() > 1, f"unlike F.scaled_dot_product_attention {note}"
            return q @ k.mT @ v, None
    ''',
    "annotations": """
        from __future__ import annotations
        from torch import nn
        def helper(layer: nn.MultiheadAttention | None = None) -> nn.MultiheadAttention | None:
            other: nn.MultiheadAttention = layer
            return other
        class MultiHeadAttention(nn.Module):
            inner: nn.MultiheadAttention
            def forward(self, q, k, v, mask=None):
                return helper(), None
    """,
    "asked about": """
        import torch.nn.functional as F
        from torch import nn
        HAS_FUSED = hasattr(F, "scaled_dot_product_attention")
        class MultiHeadAttention(nn.Module):
            def forward(self, q, k, v, mask=None):
                assert not isinstance(q, nn.MultiheadAttention) and HAS_FUSED
                return q, None
    """,
    "documentation copied": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            return q @ k.mT @ v, None
        scaled_dot_product_attention.__doc__ = F.scaled_dot_product_attention.__doc__
    """,
    "mask helper of the transformer": """
        from torch import nn
        def scaled_dot_product_attention(q, k, v, mask=None):
            mask = nn.Transformer.generate_square_subsequent_mask(5)
            return (q @ k.mT + mask).softmax(-1) @ v, None
    """,
    "profiled under the name": """
        import torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            with torch.profiler.record_function("scaled_dot_product_attention"):
                return q @ k.mT @ v, None
    """,
    "getattr of something else": """
        import torch
        import torch.nn.functional as F
        class MultiHeadAttention(torch.nn.Module):
            def __init__(self, d_model, num_heads, activation="relu"):
                super().__init__()
                self.activation = getattr(F, activation)
            def forward(self, q, k, v, mask=None):
                return getattr(F, "soft" + "max")(q, -1), None
    """,
    "dictionary of one's own": """
        TABLE = {"scaled_dot_product_attention": max, "MultiheadAttention": min}
        def scaled_dot_product_attention(q, k, v, mask=None):
            return TABLE["scaled_dot_product_attention"](q, k), TABLE.get("MultiheadAttention")
    """,
    "another exercise that uses it": {
        "attention.py": "import torch\n" + BY_HAND,
        "play.py": "import torch.nn.functional as F\nprint(F.scaled_dot_product_attention)\n",
    },
    "sibling that compares": {
        "attention.py": "import torch\nfrom heads import split_heads\n" + BY_HAND,
        "heads.py": """
            import torch
            import torch.nn.functional as F
            def split_heads(x, num_heads):
                return x
            q = split_heads(torch.ones(1, 2, 5, 4), 2)
            print(F.scaled_dot_product_attention(q, q, q).shape)
        """,
    },
    "local names like the library's": """
        import torch
        def scaled_dot_product_attention(q, k, v, mask=None):
            attention = torch.softmax(q @ k.mT, -1)
            multi_head_attention_forward = attention @ v
            return multi_head_attention_forward, attention
    """,
    "learner's torch-like class": """
        class nn:
            class MultiheadAttention:
                pass
        class MultiHeadAttention(nn.MultiheadAttention):
            pass
    """,
    "backends asked": """
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        def scaled_dot_product_attention(q, k, v, mask=None):
            with torch.no_grad():
                return q @ k.mT @ v, None
    """,
    "never taken": """
        import torch.nn.functional as F
        def scaled_dot_product_attention(q, k, v, mask=None):
            if False:
                return F.scaled_dot_product_attention(q, k, v)
            return q @ k.mT @ v, None
    """,
    "does not parse": "def scaled_dot_product_attention(q, k, v:\n    return F.scaled_dot_product_attention(q, k, v)\n",
    "loops of imports": {
        "attention.py": "import torch\nimport other\nx = other.y\n" + BY_HAND,
        "other.py": "import attention\ny = attention.x\nz = z = y\n",
    },
    "names in circles": """
        a = b
        b = a
        def scaled_dot_product_attention(q, k, v, mask=None):
            return a.scaled_dot_product_attention(b, a.b)
    """,
    "the stub": '''
        """Exercise: scaling"""
        import torch
        from torch import Tensor
        def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None):
            """Do not use torch.nn.functional.scaled_dot_product_attention."""
            # TODO: scores, scale, mask, softmax.
            raise NotImplementedError("scaled_dot_product_attention is still to be written")
    ''',
    "nothing at all": "",
}


@pytest.mark.parametrize("sources", EVASIONS.values(), ids=EVASIONS)
def test_every_way_to_let_torch_do_it_is_found(sources):
    """A promised name can reach the call, so the exercise is not the learner's own work."""
    assert [] != uses_in(sources)


@pytest.mark.parametrize("sources", INNOCENT.values(), ids=INNOCENT)
def test_honest_code_passes(sources):
    """A false alarm would cost somebody a whole exercise."""
    assert [] == uses_in(sources)


IMPORT = "import torch.nn.functional as F\n"
DEFINE = "def scaled_dot_product_attention(q):\n    return "


@pytest.mark.parametrize(
    ("source", "line", "name", "how"),
    [
        (
            f"{IMPORT}{DEFINE}F.scaled_dot_product_attention(q)",
            3,
            SDPA,
            "called as `F.scaled_dot_product_attention`",
        ),
        (
            f"from torch.nn.functional import scaled_dot_product_attention as attend\n\n{DEFINE}attend(q)",
            4,
            SDPA,
            "called through the alias `attend`",
        ),
        (
            f"{IMPORT}attend = F.scaled_dot_product_attention\n{DEFINE}attend(q)",
            4,
            SDPA,
            "called through the alias `attend`",
        ),
        (
            "from torch import nn\nclass MultiHeadAttention(nn.MultiheadAttention):\n    pass",
            2,
            MHA,
            "the base class of `MultiHeadAttention`",
        ),
        (
            f"import torch\n{DEFINE}torch._scaled_dot_product_flash_attention(q)",
            3,
            SDPA,
            "called in another form, `torch._scaled_dot_product_flash_attention`",
        ),
        (
            f"{IMPORT}{DEFINE}getattr(F, 'scaled_dot_product_attention')(q)",
            3,
            SDPA,
            "called as `getattr(F, 'scaled_dot_product_attention')`",
        ),
        (
            f"{IMPORT}{DEFINE}eval('F.scaled_dot_product_attention')(q)",
            3,
            SDPA,
            "called as `eval('F.scaled_dot_product_attention')`",
        ),
        (
            f"{IMPORT}{DEFINE}eval('F.scaled_dot_product_attention(q)')",
            3,
            SDPA,
            "used in the text given to `eval`",
        ),
        (
            "from torch.nn.functional import scaled_dot_product_attention",
            1,
            SDPA,
            "what the promised name `scaled_dot_product_attention` stands for",
        ),
        (
            "from torch import nn\nclass MultiHeadAttention:\n    def forward(self):\n        nn.Transformer()",
            4,
            MHA,
            "called in another form, `torch.nn.Transformer`",
        ),
        (
            f"{IMPORT}TABLE = [F.scaled_dot_product_attention]\n{DEFINE}TABLE[0](q)",
            2,
            SDPA,
            "used as `F.scaled_dot_product_attention`",
        ),
    ],
)
def test_a_use_says_where_and_how(source, line, name, how):
    """The learner is told the line and the public name that the rubric gives its reason for."""
    assert [Use(name=name, path="attention.py", line=line, how=how)] == uses_in(source)


def test_a_use_in_a_notebook_names_the_cell():
    """Lines are counted in the cell, as a traceback does; a cell that does not parse counts for nothing."""
    files = notebook(
        "import torch.nn.functional as F\n\n",
        "this is no Python",
        "\ndef scaled_dot_product_attention(q):\n    return F.scaled_dot_product_attention(q)",
    )

    (use,) = find_forbidden(files, "attention.ipynb", PROMISED, FORBIDS)

    assert ("attention.ipynb, cell 3", 3) == (use.path, use.line)


def test_cells_that_only_compare_are_fine():
    """Import runs such a cell, but nothing that it makes gets to a promised name."""
    files = notebook(
        "import torch\nimport torch.nn.functional as F",
        BY_HAND,
        "q = torch.ones(5, 4)\nF.scaled_dot_product_attention(q, q, q)",
        "ref = F.scaled_dot_product_attention(q, q, q)\n"
        "torch.testing.assert_close(ref, scaled_dot_product_attention(q, q, q)[0])",
    )

    assert [] == find_forbidden(files, "attention.ipynb", PROMISED, FORBIDS)


def test_a_later_cell_decides():
    """First the library's function to look at, then one's own: the own one is what counts, and the other way round."""
    imports, own = "import torch\nimport torch.nn.functional as F", BY_HAND
    library = "scaled_dot_product_attention = F.scaled_dot_product_attention"

    assert [] == find_forbidden(notebook(imports, library, own), "attention.ipynb", PROMISED, FORBIDS)
    assert [] != find_forbidden(notebook(imports, own, library), "attention.ipynb", PROMISED, FORBIDS)


SCALING_BY_TORCH = {
    "multihead.py": """
        from scaling import scaled_dot_product_attention, helper
        class MultiHeadAttention:
            def forward(self, q, k, v, mask=None):
                return scaled_dot_product_attention(q, k, v, mask)
    """,
    "scaling.py": """
        import torch.nn.functional as F
        def helper(q, k, v):
            return F.scaled_dot_product_attention(q, k, v)
        def scaled_dot_product_attention(q, k, v, mask=None):
            return helper(q, k, v), None
    """,
}


def test_what_a_stand_in_replaces_is_not_followed():
    """A mistake in an earlier exercise costs its points there, once."""
    files = files_of(SCALING_BY_TORCH)
    promised = ["MultiHeadAttention"]

    assert [] != find_forbidden(files, "multihead.py", promised, FORBIDS)
    assert [] == find_forbidden(files, "multihead.py", promised, FORBIDS, stand_ins=[STAND_IN])


def search_with_stand_in(sources: Mapping[str, str] | str, own_names: tuple[str, ...] = ()) -> Findings:
    """Search the first file for what ``MultiHeadAttention`` reaches, with a stand-in for the attention."""
    files = files_of(sources)
    return search_within_limits(files, files[0].path, ["MultiHeadAttention"], FORBIDS, [STAND_IN], own_names)


def test_what_is_not_followed_is_said():
    """It must be replaced when the code runs, or the search was for nothing."""
    assert Findings([], "", frozenset({("scaling.py", "scaled_dot_product_attention")})) == search_with_stand_in(
        SCALING_BY_TORCH
    )


@pytest.mark.parametrize(
    "definition",
    [
        pytest.param("def scaled_dot_product_attention(q, k, v, mask=None, heads=1):", id="more, which may be given"),
        pytest.param("def scaled_dot_product_attention(q, k, v):", id="fewer"),
        pytest.param("def scaled_dot_product_attention(*args):", id="any"),
        pytest.param("@torch.no_grad()\ndef scaled_dot_product_attention(q, k, v, mask=None):", id="decorated"),
    ],
)
@pytest.mark.parametrize("way", ["from scaling import scaled_dot_product_attention", "import scaling", "here"])
def test_a_definition_that_a_stand_in_may_not_replace_is_followed(definition: str, way: str):
    """Then the learner's own runs, wherever it stands."""
    scaling = f"{IMPORT}import torch\n{definition}\n    return F.scaled_dot_product_attention(*args)\n"
    call = f"{'scaling.' if way == 'import scaling' else ''}scaled_dot_product_attention(q, k, v)"
    multihead = f"class MultiHeadAttention:\n    def forward(self, q, k, v, mask=None):\n        return {call}\n"
    sources = {"multihead.py": f"{scaling if way == 'here' else way}\n{multihead}", "scaling.py": scaling}

    assert {SDPA} == {use.name for use in search_with_stand_in(sources).uses}


def test_what_the_entry_defines_is_followed_unless_it_answers_an_earlier_exercise():
    """In the exercise's own file no stand-in replaces it; in a notebook of all exercises one does."""
    source = EVASIONS["plain call"]
    assert isinstance(source, str)
    source = textwrap.dedent(source)
    source += "\nclass MultiHeadAttention:\n    def forward(self, *a):\n        scaled_dot_product_attention(*a)\n"

    assert [] != search_with_stand_in({"multihead.py": source}, ("scaled_dot_product_attention",)).uses
    assert Findings([], "", frozenset({("all.py", "scaled_dot_product_attention")})) == search_with_stand_in(
        {"all.py": source}
    )


@pytest.mark.parametrize(
    "keep",
    [
        "attend = scaled_dot_product_attention",
        "attend = [scaled_dot_product_attention for _ in range(1)][0]",
        "def attend(*args, own=scaled_dot_product_attention):\n    return own(*args)",
        "class Keeper:\n    own = scaled_dot_product_attention\nattend = Keeper.own",
    ],
)
def test_a_definition_that_is_kept_before_it_is_replaced_is_followed(keep: str):
    """Stand-ins come when a file has run to its end."""
    sources = {
        "multihead.py": SCALING_BY_TORCH["multihead.py"]
        .replace("import scaled_dot_product_attention, helper", "import attend")
        .replace("return scaled_dot_product_attention", "return attend"),
        "scaling.py": textwrap.dedent(SCALING_BY_TORCH["scaling.py"]) + keep,
    }
    later = "def attend(*args):\n    return scaled_dot_product_attention(*args)"

    assert [] != search_with_stand_in(sources).uses
    sources["scaling.py"] = textwrap.dedent(SCALING_BY_TORCH["scaling.py"]) + later
    assert [] == search_with_stand_in(sources).uses


def test_a_helper_beside_a_replaced_name_is_followed():
    """Only the promised names are replaced: a helper from the same file still runs."""
    sources = {**SCALING_BY_TORCH}
    sources["multihead.py"] = sources["multihead.py"].replace("return scaled_dot_product_attention", "return helper")
    files = files_of(sources)

    assert [] != find_forbidden(files, "multihead.py", ["MultiHeadAttention"], FORBIDS, stand_ins=[STAND_IN])


def test_a_library_function_under_a_replaced_name_is_found():
    """A stand-in replaces learners' own definitions, not an import of the library's function."""
    source = """
        from torch.nn.functional import scaled_dot_product_attention
        class MultiHeadAttention:
            def forward(self, q, k, v, mask=None):
                return scaled_dot_product_attention(q, k, v), None
    """

    assert [] != uses_in(source, stand_ins=[STAND_IN])


def test_only_what_the_rubric_forbids_is_looked_for():
    """Another course may allow the fused function and forbid something else."""
    files = files_of(EVASIONS["plain call"])
    softmax = [Forbidden(name="torch.softmax", why="Write it down.")]
    other = files_of("import torch\ndef scaled_dot_product_attention(q):\n    return torch.softmax(q, -1)")

    assert [] == find_forbidden(files, "attention.py", PROMISED, [])
    assert [] == find_forbidden(files, "attention.py", PROMISED, softmax)
    assert ["torch.softmax"] == [use.name for use in find_forbidden(other, "attention.py", PROMISED, softmax)]


def test_other_libraries_can_be_forbidden():
    """A rubric may name a function of NumPy; its last part in torch is then no use."""
    forbids = [Forbidden(name="numpy.exp", why="Write it down.")]
    with_numpy = files_of("import numpy as np\ndef scaled_dot_product_attention(q):\n    return np.exp(q)")
    with_torch = files_of("import torch\ndef scaled_dot_product_attention(q):\n    return torch.exp(q)")

    assert ["numpy.exp"] == [use.name for use in find_forbidden(with_numpy, "attention.py", PROMISED, forbids)]
    assert [] == find_forbidden(with_torch, "attention.py", PROMISED, forbids)


def test_an_entry_that_is_not_there_gives_nothing():
    """Nothing was handed in for this exercise, which another verdict says."""
    assert [] == find_forbidden([], "attention.py", PROMISED, FORBIDS)


def test_code_made_to_hurt_the_reader_ends():
    """Nesting, huge constants and endless names must not stop a class from being graded."""
    deep = "(" * 150 + "q" + ")" * 150
    chain = " + ".join(["F.scaled_dot_product_attention(q, k, v)", *["q"] * 1_500])
    huge = '"a" * 10**9'
    source = f"""
import torch.nn.functional as F
def scaled_dot_product_attention(q, k, v, mask=None):
    x = {deep}
    y = {chain}
    getattr(F, {huge})
    getattr(F, "%0999999999d" % 3)
    getattr(F, "".join(c + d for c in "{"ab" * 900}" for d in "ab"))
    getattr(F, [["a" * 1999 for b in "{"ab" * 900}"] for a in "{"ab" * 900}"][0][0])
    return F.scaled_dot_product_attention(q, k, v)
"""

    assert [5, 10] == [use.line for use in uses_in(source)]


@pytest.mark.parametrize("files", ["own", "imported"])
def test_what_is_nested_too_deeply_to_be_searched_counts_as_a_use(files: str):
    """How deep is too deep depends on who reads: where a worker still can, a skipped file would hide anything."""
    deep = "x = 1" + "+1" * 50_000 + "\n" + BY_HAND  # Python 3.13 reads ten times deeper than 3.11
    sources = {"attention.py": deep} if files == "own" else {"attention.py": "from other import *", "other.py": deep}

    use = uses_in(sources)[0]

    assert (SDPA, list(sources)[-1]) == (use.name, use.path)
    assert "too deeply to be searched" in use.how


def test_reading_a_workspace_takes_milliseconds():
    """It runs for each exercise of each check, many times an hour."""
    body = "\n".join(
        f"def helper_{i}(x):\n    y = torch.softmax(x, -1)\n    return [y @ x for _ in range({i})]" for i in range(12)
    )
    sources = {"multihead.py": "import torch\nfrom scaling import scaled_dot_product_attention\n" + body}
    sources["multihead.py"] += (
        "\nclass MultiHeadAttention(torch.nn.Module):\n    def forward(self, q, k, v, mask=None):\n"
    )
    sources["multihead.py"] += "        return helper_3(scaled_dot_product_attention(q, k, v, mask)[0]), None\n"
    sources["scaling.py"] = "import torch\n" + BY_HAND + body
    sources |= {f"{name}.py": "import torch\n" + body for name in ("masking", "heads", "positional")}
    files = files_of(sources)

    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        assert [] == find_forbidden(files, "multihead.py", ["MultiHeadAttention"], FORBIDS)
        seconds.append(time.perf_counter() - start)

    # It takes a few milliseconds; the room is for slow and busy machines, far below what a bad growth would take.
    assert min(seconds) < 0.05


def test_text_in_bytes_is_read_too():
    """``eval`` and ``exec`` take bytes, and base64 gives bytes."""
    source = """
import base64, torch
def scaled_dot_product_attention(q, k, v, mask=None):
    return eval(base64.b64decode(b"dG9yY2gubm4uZnVuY3Rpb25hbC5zY2FsZWRfZG90X3Byb2R1Y3RfYXR0ZW50aW9uKHEsIGssIHYp"))
"""

    assert [SDPA] == [use.name for use in uses_in(source)]


def findings_in(source: str) -> Findings:
    """Search a submission as a grading does."""
    return search_within_limits(files_of(source), "attention.py", PROMISED, FORBIDS)


def rows(form: str, number: int) -> str:
    """Return so many lines of a function, with their number at ``{0}`` and the one before at ``{1}``."""
    return "".join(f"    {form.format(row, row - 1)}\n" for row in range(1, number + 1))


HEAD = "import torch\nimport torch.nn.functional as F\ndef scaled_dot_product_attention(q, k, v, mask=None):\n"


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        pytest.param(f"{HEAD}{rows('q = q.step_{0}(k)', 15)}    return q, q", 0, id="one name"),
        pytest.param(f"{HEAD}{rows('q = q.step_{0}(k)', 400)}    return q, q", 0, id="one name, many times"),
        pytest.param(
            f"{HEAD}    q0 = F\n{rows('q{0} = q{1}', 400)}    return q400.scaled_dot_product_attention(q, k, v), q",
            1,
            id="a row of aliases",
        ),
        pytest.param(
            "import torch\nx = torch\n"
            + "".join(f"x = x.step_{row}(1)\n" for row in range(100))
            + "def scaled_dot_product_attention(q, k, v):\n    return x",
            0,
            id="one name at the top",
        ),
        pytest.param(
            "".join(f"def f{row}(q):\n    return f{row + 1}(q)\n" for row in range(300))
            + f"{HEAD}    return f0(q)\ndef f300(q):\n    return F.scaled_dot_product_attention(q, q, q)",
            1,
            id="a row of functions",
        ),
        pytest.param(
            HEAD + rows(f"q{{0}} = {' or '.join(f'q{row}' for row in range(1, 31))}", 30) + "    return q1, q2",
            0,
            id="each of many names may be each",
        ),
        pytest.param(f"{HEAD}    return {{}}{'.get(1)' * 60}", 0, id="one look-up in another"),
        pytest.param(
            f"{HEAD}    t = torch\n    t = t.nn\n    t = t.functional\n{rows('q = q.step_{0}(k)', 15)}"
            "    return t.scaled_dot_product_attention(q, k, v), q",
            1,
            id="one name for the way to the library's function",
        ),
    ],
)
def test_the_time_grows_with_the_text_and_no_faster(source: str, uses: int):
    """Honest code binds one name many times: following each in all orders would take hours."""
    start = time.process_time()
    found = findings_in(source)

    assert time.process_time() - start < 3  # far above what it takes, and far below what a bad growth would take
    assert (uses, "") == (len(found.uses), found.cut_short)


@pytest.mark.parametrize("word", ["nonlocal", "global"])
def test_a_name_may_be_bound_by_a_function_that_is_read_after_it_was_looked_at(word: str):
    """What a name means is not known for good before all that binds it is read."""
    source = f"""{HEAD}    library = None
    choose()
    return library.scaled_dot_product_attention(q, k, v), None
"""
    choose = f"def choose():\n    {word} library\n    change()\n    library = F\n"
    change = f"def change():\n    {word} library\n    library = F.other\n"
    if word == "nonlocal":
        inside = textwrap.indent(choose + change, "    ")
        source = source.replace("    choose()", f"    print(library)\n{inside}    choose()")
    else:
        source = source.replace("    library = None\n", "    global library\n") + choose + change

    assert [source[: source.index("return library")].count("\n") + 1] == [use.line for use in uses_in(source)]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            f"{HEAD}    t = torch\n{rows('t = t.part_{0}', 15)}    return t(q)",
            id="a name that may be any of too many things",
        ),
        pytest.param(f"{HEAD}    return {' + '.join(['q'] * 1500)}", id="too deeply nested"),
        pytest.param(
            f"{HEAD}    {rows('elif q == {0}: pass', 600).strip().removeprefix('el')}\n    return q", id="too many ifs"
        ),
    ],
)
def test_what_is_too_much_to_be_searched_is_said(source: str):
    """It may hide anything, so a person has to look."""
    assert Findings([], "it is nested too deeply or too entangled") == findings_in(source)


@pytest.mark.parametrize(
    ("step", "why"), [("while True: pass", "it took too long"), ("1 / 0", "it ended with ZeroDivisionError")]
)
def test_a_search_that_does_not_end_well_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch, step: str, why: str):
    """Whatever code does to its reader, it neither hangs or ends the grading nor makes good what was seen."""

    def stumble(_: object) -> bool:
        exec(step)
        return False

    monkeypatch.setattr(forbidden, "_SEARCH_S", 0.1)
    monkeypatch.setattr(forbidden._Search, "_reach_methods", stumble)

    found = findings_in(f"{HEAD}    return F.scaled_dot_product_attention(q, k, v)")

    assert ([4], why) == ([use.line for use in found.uses], found.cut_short)


@pytest.mark.parametrize(
    "stars", [("first", "second", "third"), ("second", "first", "third"), ("third", "third", "attention")]
)
def test_files_may_import_everything_of_each_other(stars: tuple[str, str, str]):
    """Such circles run in Python, which takes what is there until then."""
    names = ("attention", "first", "second", "third")
    sources = {
        f"{name}.py": "".join(f"from {star} import *\n" for star in dict.fromkeys(stars) if star != name)
        for name in names
    }
    sources["attention.py"] += "def scaled_dot_product_attention(q, k, v):\n    print(q)\n    return attend(q, k, v)\n"

    assert [] == uses_in(sources)

    sources["third.py"] += "import torch.nn.functional as F\nattend = F.scaled_dot_product_attention\n"

    assert {SDPA} == {use.name for use in uses_in(sources)}
