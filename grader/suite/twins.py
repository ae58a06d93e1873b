"""Know the other names under which torch offers what a rubric forbids."""

from collections.abc import Iterable, Sequence

from grader.model.rubric import Forbidden

_FUSED_ATTENTION = frozenset(
    {
        "scaled_dot_product_attention",
        "_scaled_dot_product_attention",
        "_scaled_dot_product_attention_math",
        "_scaled_dot_product_attention_math_for_mps",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_cudnn_attention",
        "_scaled_dot_product_fused_attention_overrideable",
        "_flash_attention_forward",
        "_flash_attention_forward_no_dropout_inplace",
        "_efficient_attention_forward",
        "_cudnn_attention_forward",
        "_triton_scaled_dot_attention",
        "flex_attention",
    }
)
_WHOLE_MULTI_HEAD = frozenset({"_native_multi_head_attention", "_triton_multi_head_attention"})
_LAYERS_WITH_MULTI_HEAD = frozenset(
    {
        "Transformer",
        "TransformerDecoder",
        "TransformerDecoderLayer",
        "TransformerEncoder",
        "TransformerEncoderLayer",
        "_transformer_encoder_layer_fwd",
    }
)

# By public name: the last parts of the names that do the same, wherever in torch they are found.
_TWINS = {
    "torch.nn.functional.scaled_dot_product_attention": _FUSED_ATTENTION,
    "torch.nn.MultiheadAttention": _WHOLE_MULTI_HEAD | _LAYERS_WITH_MULTI_HEAD | {"MultiheadAttention"},
    "torch.nn.functional.multi_head_attention_forward": _WHOLE_MULTI_HEAD | {"multi_head_attention_forward"},
}


# Helpers that hang on a forbidden class and do nothing of what is forbidden.
_HARMLESS_MEMBERS = frozenset({"generate_square_subsequent_mask", "__doc__", "__name__"})


class ForbiddenNames:
    """The names of a rubric with their twins, ready to be compared with dotted names of a library."""

    def __init__(self, forbids: Iterable[Forbidden]) -> None:
        self._by_part: dict[tuple[str, str], str] = {}
        self.first = ""
        """The name that stands for all of them."""
        for forbidden in forbids:
            self.first = self.first or forbidden.name
            root, _, rest = forbidden.name.partition(".")
            own_part = (rest or root).rpartition(".")[2]
            for part in {own_part} | _TWINS.get(forbidden.name, frozenset()):
                # What two rules cover belongs to the one that names it, else to the first.
                if part == own_part:
                    self._by_part[root, part] = forbidden.name
                self._by_part.setdefault((root, part), forbidden.name)

    def match(self, dotted: str) -> str:
        """
        Return the forbidden public name that a library's dotted name stands for, or an empty string.

        ``torch.ops.aten.scaled_dot_product_attention.default`` and ``torch._C._nn.scaled_dot_product_attention`` are
        the public function in other clothes, so any part of the name after the library's own counts.
        """
        root, *parts = dotted.split(".")
        if not parts or parts[-1] in _HARMLESS_MEMBERS:
            return ""
        return next((self._by_part[root, part] for part in parts if (root, part) in self._by_part), "")

    def is_harmless(self, dotted: str) -> bool:
        """Return whether a name only goes through something forbidden to a helper that hangs on it."""
        container, _, name = dotted.rpartition(".")
        return name in _HARMLESS_MEMBERS and bool(self.match(container))

    def match_in_text(self, text: str, root: str = "torch") -> str:
        """Return the forbidden public name that a text given to the library's own compiler or registry contains."""
        parts = [part for part_root, part in self._by_part if part_root == root and part in text]
        return self._by_part[root, max(parts, key=len)] if parts else ""

    def offered_by(self, module: str) -> Sequence[str]:
        """Return the parts that ``from module import *`` may bring in."""
        root = module.partition(".")[0]
        return [part for part_root, part in self._by_part if part_root == root and not part.startswith("_")]
