"""Tell which kind of error an exception is, so that one mistake written in two ways is known by it."""

import re
from typing import Final

_LOOKED_AT: Final = 2_000
"""Longer messages are generated ones (argument lists, tensors)."""

# One mistake meets another operation in another author's code, and each operation has words of its own: sizes that do
# not fit are told by matmul, einsum, view and broadcasting in four ways, and as an IndexError by an index.
_KINDS: Final = tuple(
    (kind, re.compile("|".join(patterns)))
    for kind, patterns in {
        "layout": (r"view size is not compatible with input tensor's size and stride",),
        "sizes": (
            r"^The size of tensor a \(",
            r"shapes cannot be multiplied",
            r"^Expected size for first two dimensions of batch2",
            r"^Expected batch2_sizes",
            r"^einsum\(\): (?:operands do not broadcast|subscript \w+ has size)",
            r"^shape '.*' is invalid for input of size",
            r"^The expanded size of the tensor",
            r"^Sizes of tensors must match except",
            r"stack expects each tensor to be equal size",
            r"^shape mismatch:",
            r"^The shape of the mask ",
            r"doesn't match the broadcast shape",
            r"^(?:inconsistent|Inconsistent) tensor size|^size mismatch",
            r"unflatten: Provided sizes",
            r"split_with_sizes expects",
            r"could not be broadcast together",
            r"cannot reshape (?:array|tensor)",
            r"^mismatch in length of strides and shape|^setStorage: sizes",
            r"is out of bounds for dimension|^index out of range in self|^index \d+ is out of bounds",
            r"^start \(.*\) \+ length \(.*\) exceeds dimension size",
            r"^Index tensor must have the same (?:size|number of dimensions)|^Size does not match at dimension",
        ),
        "axes": (
            r"^Dimension out of range",
            r"^(?:not enough|too many) values to unpack",
            r"^too many indices for",
            r"^(?:tuple|list) index out of range",
            r"number of dimensions in the tensor input does not match",
            r"^einsum\(\): (?:the number of subscripts|fewer operands|the subscript)",
            r"^batch[12] must be a 3D tensor",
            r"must (?:be|have) (?:at least )?\d-?\s?[dD]",
            r"^the number of sizes provided \(",
            r"^Number of dimensions of repeat dims",
            r"number of dims don't match in permute",
            r"^Tensors must have same number of dimensions",
        ),
        "mask dtype": (
            r"^masked_fill_? only supports boolean masks",
            r"^where expected condition to be a boolean tensor",
            r"^tensors used as indices must be",
            r"not implemented for '(?:Float|Half|BFloat16|Double)'$",  # ~mask, mask & other
            r"^ufunc '\w+' not supported for the input types",
            r"^~ \(operator\.invert\) is only implemented on",
        ),
        "bool arithmetic": (
            r"with a bool tensor is not supported|on a bool tensor is not supported",
            r"^numpy boolean (?:subtract|negative)",
        ),
        "overflow": (r"cannot be converted to type .* without overflow", r"^value cannot be converted to type"),
        "mixed dtypes": (
            r"^expected scalar type \w+ but found",
            r"must have the same dtype|to have the same dtype|^expected m1 and m2",
            r"^Index put requires the source and destination dtypes match",
            r"^(?:self|out|mat\d|Found) .*dtype",
            r"^expected .* dtypes? ",
        ),
        "cast": (r"can't be cast to the desired output type",),
        "in place on a leaf": (
            r"a leaf Variable that requires grad",
            r"a view of a leaf Variable that requires grad",
        ),
        "in place on what backward needs": (r"has been modified by an inplace operation",),
        "a view changed in place": (
            r"is a view and is being modified inplace",
            r"unsupported operation: (?:more than one element|some elements) of",
        ),
        "spent graph": (r"backward through the graph a second time",),
        "no graph": (r"does not require grad and does not have a grad_fn",),
        "numpy on a graph": (r"^Can't call numpy\(\) on Tensor that requires grad",),
        "one number wanted": (
            r"only one element tensors can be converted|with \d+ elements cannot be converted to Scalar",
            r"^Boolean value of Tensor with more than one value is ambiguous",
            r"^only integer tensors of a single element can be converted",
        ),
    }.items()
)

_CHANGING: Final = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]|\([^)]*\)|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
"""What differs between two messages of one kind: names, shapes and numbers."""


def kind_of_error(type_name: str, message: str) -> str:
    """
    Return a word for what went wrong, which is the same in whatever operation it went wrong.

    Args:
        type_name: Name of the exception's class.
        message: Its text.

    Returns:
        A kind that is known, such as ``sizes``; else the class and the text without names, shapes and numbers.
    """
    text = message[:_LOOKED_AT]
    for kind, pattern in _KINDS:
        if pattern.search(text):
            return kind
    plain = " ".join(_CHANGING.sub("…", text.partition("\n")[0]).split())
    return f"{type_name}: {plain}"
