"""
Say in one sentence what usually causes a well-known exception in attention code.

The sentences are fixed: nothing from a message is repeated in them, because it can carry hidden sizes and values.
"""

import re
from typing import NamedTuple

# Longer messages are generated ones (argument lists, tensors); what names the mistake stands at their beginning.
_LOOKED_AT = 2_000


class _Rule(NamedTuple):
    types: frozenset[str]
    """Names of the exceptions that carry this message."""
    pattern: re.Pattern[str]
    sentence: str


def _rule(types: str, pattern: str, sentence: str) -> _Rule:
    return _Rule(frozenset(types.split()), re.compile(pattern), sentence)


# The first rule that fits speaks, so a narrower one stands above a wider one.
_RULES = (
    # Shapes.
    _rule(
        "RuntimeError",
        r"view size is not compatible with input tensor's size and stride",
        "`view` cannot look at memory whose order `transpose` or `permute` has changed: use `reshape`, or call "
        "`.contiguous()` before `view`.",
    ),
    _rule(
        "RuntimeError",
        r"^shape '\[.*\]' is invalid for input of size",
        "The sizes given to `view` or `reshape` do not multiply up to the number of entries: often the batch or"
        " sequence length of another tensor was used (with cross-attention, queries and keys have different "
        "lengths), or d_k is not d_model / num_heads.",
    ),
    _rule(
        "RuntimeError",
        r"Provided sizes .* don't multiply up to the size of dim|split_with_sizes expects split_sizes to sum exactly",
        "The pieces do not add up to the dimension that is split: the features split into num_heads pieces of "
        "d_k = d_model / num_heads each.",
    ),
    _rule(
        "TypeError",
        r"failed to unpack the object at pos \d+ with error \"type must be tuple of ints,but got float|"
        r"'float' object cannot be interpreted as an integer|"
        r"must be tuple of ints,? ?(?:not|but found element of type) float",
        "A size is a float: `/` always gives a float in Python, so compute d_k with `d_model // num_heads`.",
    ),
    _rule(
        "RuntimeError",
        r"mat1 and mat2 shapes cannot be multiplied",
        "A matrix product needs the last dimension of the left tensor to equal the second last of the right "
        "one: queries times keys needs `key.transpose(-2, -1)`, and a linear layer needs inputs with as many "
        "features as it was made for.",
    ),
    _rule(
        "RuntimeError",
        r"batch[12] must be a 3D tensor",
        "`bmm` takes tensors with exactly three axes. `@` and torch.matmul multiply the last two, and take any number "
        "of axes before them.",
    ),
    # What code cannot do while it is graded.
    _rule(
        "PermissionError OSError RuntimeError",
        # Not permitted, denied, too large and read-only; and what torch.save makes of these.
        r"^\[Errno (?:1|13|27|30)\]|open file failed with strerror|^Parent directory .* does not exist|"
        r"^File .* cannot be opened",
        "While code is graded it cannot write files, use the network or start programs: put this under "
        '`if __name__ == "__main__":`, which is not run then.',
    ),
    _rule(
        "FileNotFoundError",
        r"^\[Errno 2\]",
        "While code is graded there is no file and no folder beside it: put what needs one under "
        '`if __name__ == "__main__":`, which is not run then.',
    ),
    _rule(
        "EOFError",
        r"^EOF when reading a line",
        "While code is graded nobody can type, so `input()` finds nothing: put this under "
        '`if __name__ == "__main__":`, which is not run then.',
    ),
    _rule("BdbQuit", r"", "Take the breakpoint() out: while code is graded, nobody can type to a debugger."),
    _rule(
        "RuntimeError",
        r"Expected size for first two dimensions of batch2 tensor to be|Expected batch2_sizes\[0\] == bs",
        "In a batched matrix product the last dimension of the left tensor must equal the second last of the "
        "right one: scores are `query @ key.transpose(-2, -1)`, and the weights multiply `value` along the "
        "keys.",
    ),
    _rule(
        "RuntimeError",
        r"The size of tensor a \(\d+\) must match the size of tensor b \(\d+\) at non-singleton dimension",
        "Two tensors do not broadcast: sizes are compared from the right, and each pair must be equal or "
        "contain a 1. Compare both shapes in the line that is named. Often a sum has lost its axis (keepdim=True "
        "keeps it), or a mask or table is made with the queries' length where the keys' belongs, or lacks an axis "
        "for the heads.",
    ),
    _rule(
        "RuntimeError",
        r"The expanded size of the tensor \(\d+\) must match the existing size \(\d+\) at non-singleton dimension",
        "A tensor is put into a place of another size. Compare both shapes in the line that is named: lengths of "
        "queries and keys may be exchanged, and in a positional encoding with an odd d_model there is "
        "one cosine column fewer than sine columns, so the two parts are not equally wide.",
    ),
    _rule(
        "RuntimeError",
        r"the number of sizes provided \(\d+\) must be greater or equal to the number of dimensions",
        "`expand` can add dimensions on the left but cannot remove any: name a size (or -1) for each dimension "
        "that the tensor has.",
    ),
    _rule(
        "RuntimeError",
        r"^einsum\(\): ",
        "The letters of the einsum equation do not fit the tensors: each operand needs one letter for each of "
        "its dimensions, one letter always means one size (queries and keys need different letters for their "
        "lengths), and the result may only use letters from the left.",
    ),
    _rule(
        "RuntimeError",
        r"Sizes of tensors must match except in dimension|stack expects each tensor to be equal size|"
        r"Tensors must have same number of dimensions",
        "Tensors that are joined must agree in every other dimension: `cat` joins along a dimension that exists"
        " (heads go along the last one, `dim=-1`), `stack` makes a new one from equal shapes.",
    ),
    _rule(
        "IndexError",
        r"^Dimension out of range",
        "A dimension is named that the tensor does not have: print its shape, and count from the right (`-1`, "
        "`-2`) so that the code works with and without batch and head dimensions.",
    ),
    _rule(
        "RuntimeError",
        r"permute\(.*\): number of dimensions in the tensor input does not match",
        "`permute` needs each dimension exactly once: print the shape, since a `view` before it may not have "
        "made the dimension for the heads.",
    ),
    _rule(
        "IndexError",
        r"^too many indices for tensor of dimension",
        "The tensor has fewer dimensions than the brackets name: print its shape before this line.",
    ),
    _rule(
        "RuntimeError",
        r"(?:tril|triu): input tensor must have at least 2 dimensions",
        "A triangle needs a matrix: make the mask with shape (seq_len, seq_len) before taking `tril` or `triu`.",
    ),
    _rule(
        "IndexError",
        r"The shape of the mask .* does not match the shape of the indexed tensor",
        "A Boolean index must have the very sizes of the dimensions that it indexes, it is not broadcast: use "
        "`masked_fill` or `torch.where` with a mask that broadcasts.",
    ),
    _rule(
        "RuntimeError",
        r"(?:input|hidden\d?) has inconsistent (?:input_size|hidden_size)",
        "A recurrent cell got a vector of another width than it was made for: its input is the embedding "
        "followed by the context, so its input size is the sum of both.",
    ),
    # Indices.
    _rule(
        "IndexError",
        r"^index out of range in self",
        "An embedding has no row of this number: positions run from 0 to max_len - 1, and a token id must be "
        "below the size of the table.",
    ),
    _rule(
        "IndexError",
        r"^index -?\d+ is out of bounds for dimension|^(?:list|tuple|string) index out of range",
        "An index goes past the end: the last one is the length minus 1, and queries and keys may have "
        "different lengths.",
    ),
    _rule(
        "IndexError",
        r"^only integers, slices .* are valid indices",
        "Something that is not an integer stands in the brackets: `/` gives a float, `//` an integer, and a "
        "Boolean mask must have dtype `torch.bool`.",
    ),
    # Masks and dtypes.
    _rule(
        "RuntimeError",
        r"value cannot be converted to type .* without overflow",
        "The fill value is too large for the dtype of the scores (half precision ends at 65504, integers know "
        "no infinity): fill with `float('-inf')` or `torch.finfo(scores.dtype).min`, and fill floating-point "
        "scores, not an integer tensor.",
    ),
    _rule(
        "RuntimeError",
        r"masked_fill_? only supports boolean masks|expected mask dtype to be Bool",
        "`masked_fill` wants a Boolean mask and fills where it is True: a mask of 0 and 1 becomes one with "
        "`mask == 0`, which is also the place to block.",
    ),
    _rule(
        "RuntimeError",
        r"where expected condition to be a boolean tensor",
        "`torch.where` wants a Boolean condition: compare the mask first, as in `mask == 0` or `mask.bool()`.",
    ),
    _rule(
        "TypeError RuntimeError NotImplementedError",
        r"~ \(operator\.invert\) is only implemented on integer and Boolean-type tensors|"
        r"\"bitwise_not_\w+\" not implemented",
        "`~` inverts a Boolean mask only: this one has another dtype, so write `mask == 0`, or make it Boolean "
        "with `mask.bool()` first.",
    ),
    _rule(
        "RuntimeError NotImplementedError",
        r"Subtraction, the `-` operator, with (?:a bool tensor|two bool tensors) is not supported|"
        r"Negation, the `-` operator, on a bool tensor is not supported",
        "Boolean masks cannot be subtracted or negated with `-`: invert one with `~mask`, or convert it with "
        "`.float()` where numbers are meant.",
    ),
    _rule(
        "RuntimeError NotImplementedError",
        r"\"bitwise_(?:and|or|xor)_\w+\" not implemented for",
        "`&` and `|` combine Boolean masks, and one of these is a float: compare it first (`mask != 0`), then combine.",
    ),
    _rule(
        "RuntimeError",
        r"expected scalar type \w+ but found|mat1 and mat2 must have the same dtype|"
        r"expected m1 and m2 to have the same dtype|"
        r"Expected query, key, and value to have the same dtype",
        "Two tensors of different dtypes meet in a product: something was made as float32 (or from integers) "
        "while the inputs are half or double. Create it with `dtype=query.dtype`, or convert back with "
        "`.to(query.dtype)` after computing in float32.",
    ),
    _rule(
        "RuntimeError NotImplementedError",
        r"\"[\w]*(?:softmax|exp|sqrt|tanh|sin|cos|bernoulli|addmm|baddbmm)\w*\" not implemented for "
        r"'(?:Long|Int|Bool|Byte|Short|Char)'|"
        r"could not infer output dtype\. Input dtype must be either a floating point or complex dtype",
        "This operation needs floating-point numbers and got integers or Booleans: convert with `.float()`, or "
        "make the tensor with a floating-point dtype (`torch.arange` and `torch.tensor([1, 2])` make integers).",
    ),
    _rule(
        "RuntimeError",
        r"Expected tensor for argument #1 'indices' to have one of the following scalar types",
        "An embedding looks rows up by integers: make positions or token ids with an integer dtype, as "
        "`torch.arange` does.",
    ),
    _rule(
        "RuntimeError",
        r"Boolean value of Tensor with more than one value is ambiguous",
        "`if`, `and`, `or` and `not` need one truth value and got a tensor of many: use `if mask is not None`, "
        "`.any()` or `.all()`, and `&`, `|`, `~` between masks.",
    ),
    _rule(
        "ValueError TypeError RuntimeError",
        r"only one element tensors can be converted to Python scalars|only length-1 arrays can be converted|"
        r"a Tensor with \d+ elements cannot be converted to Scalar",
        "A function that takes one number got a tensor of many: use torch's own (`torch.exp`, `torch.sqrt`, "
        "`torch.sin`) instead of `math`, and `torch.stack` instead of `torch.tensor` on a list of tensors.",
    ),
    _rule(
        "TypeError",
        r"argument 'input' \(position 1\) must be Tensor, not (?:int|float)",
        "A torch function got a plain number: use `math.sqrt(d_k)` (or `d_k ** 0.5`) for numbers and torch's "
        "functions for tensors.",
    ),
    # Gradients.
    _rule(
        "RuntimeError",
        r"a view of a leaf Variable that requires grad is being used in an in-place operation",
        "An assignment such as `x[...] = ...` changes a tensor that autograd watches, a parameter or an input: "
        "work on `x.clone()`, or build the result with `torch.where`, `masked_fill` or `torch.cat`.",
    ),
    _rule(
        "RuntimeError",
        r"a leaf Variable that requires grad is being used in an in-place operation",
        "An in-place operation (`+=`, or a name that ends in `_`) changes a parameter or an input: write `x = x"
        " + ...` instead.",
    ),
    _rule(
        "RuntimeError",
        r"one of the variables needed for gradient computation has been modified by an inplace operation",
        "An in-place operation overwrote values that the backward pass still needs (softmax and exp keep their "
        "results): use the form without `_` or `+=`.",
    ),
    _rule(
        "RuntimeError",
        r"Trying to backward through the graph a second time",
        "A result of an earlier call is used again and its graph is gone: a module must not keep tensors with "
        "history between calls. Store `.detach()`ed weights, and compute everything else anew in `forward`.",
    ),
    _rule(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        "NumPy knows no gradients: stay with torch's functions in the computation, and use `.detach().numpy()` "
        "only to look at or plot values.",
    ),
    _rule(
        "RuntimeError",
        r"does not require grad and does not have a grad_fn",
        "The result is cut off from its inputs: `.detach()`, `.data`, `.item()`, NumPy, `torch.tensor(...)` "
        "around a result or `torch.no_grad()` end the graph.",
    ),
    _rule(
        "RuntimeError",
        r"grad can be implicitly created only for scalar outputs",
        "`backward()` starts from one number: reduce the output first, as in `output.sum().backward()`.",
    ),
    _rule(
        "RuntimeError",
        r"Only Tensors of floating point (?:and complex )?dtype can require gradients",
        "A parameter must hold floating-point numbers: make it with a float dtype, or register integers and "
        "masks as a buffer.",
    ),
    # Devices.
    _rule(
        "RuntimeError DeviceMismatch",
        r"(?i:expected all tensors to be on the same device)|is not on the expected device",
        "A tensor was made on the CPU while the inputs are elsewhere: create it with `device=query.device`, and"
        " keep tables as buffers (`register_buffer`) and layers in `nn.ModuleList`, so that they move with the "
        "module.",
    ),
    _rule(
        "AssertionError RuntimeError",
        r"Torch not compiled with CUDA enabled|Found no NVIDIA driver",
        "The code asks for a GPU by name: take the device from the inputs (`query.device`) instead of `.cuda()`"
        " or `'cuda'`.",
    ),
    _rule(
        "TypeError",
        r"can't convert .* device type tensor to numpy",
        "NumPy reads only CPU tensors, so this fails on a GPU: stay with torch's functions.",
    ),
    # Modules.
    _rule(
        "NotImplementedError",
        r"^Module \[Module(?:List|Dict)\] is missing the required \"forward\" function",
        "`nn.ModuleList` and `nn.ModuleDict` only hold layers: call those, one by one, as in `self.layers[0](x)`.",
    ),
    _rule(
        "NotImplementedError",
        r"^Module \[.*\] is missing the required \"forward\" function",
        "The class has no `forward` of its own: check that the method is spelled `forward` and indented inside "
        "the class, not inside `__init__`.",
    ),
    _rule(
        "AttributeError",
        r"cannot assign (?:module|parameters|buffer)s? before Module\.__init__\(\) call|"
        r"object has no attribute '_(?:modules|parameters|buffers|forward_hooks|backward_hooks|forward_pre_hooks)'",
        "`super().__init__()` must be the first line of a module's `__init__`: it prepares the places for "
        "layers and parameters.",
    ),
    _rule(
        "TypeError",
        r"^cannot assign .* as parameter '.*' \(torch\.nn\.Parameter or None expected\)",
        "A plain tensor is assigned over a parameter: wrap it in `nn.Parameter`, or copy values in under "
        "`torch.no_grad()`.",
    ),
    _rule(
        "TypeError",
        r"^\w+ is not a Module subclass",
        "A container got something that is not a layer: `nn.Sequential(a, b)` takes layers one by one, "
        "`nn.ModuleList([a, b])` a list of them.",
    ),
    _rule(
        "KeyError",
        r"attribute '.*' already exists",
        "A buffer or parameter is registered under a name that is already an attribute: do not assign `self.pe`"
        " before `register_buffer('pe', ...)`.",
    ),
    # Calls.
    _rule(
        "TypeError",
        # Of a class, Python says `Name.__init__()`. Only classes have names with a capital letter here.
        r"^[A-Z]\w*\(\) (?:missing \d+ required positional arguments?: |takes (?:from )?\d+ )",
        "A function stands where the task wants a class: let it inherit nn.Module, make its layers in `__init__`, and "
        "take the tensors in `forward`.",
    ),
    _rule(
        "TypeError",
        # In the words of torch 2.13, and of 2.6.
        r"missing 1 required positional arguments?: \"dim\"|\(\) received an invalid combination of arguments - got "
        r"\(Tensor\), but expected one of:\s+\* \(Tensor input, int dim\b",
        "The operation must be told along which dimension it works: attention weights are normalised over the "
        "keys, `dim=-1`.",
    ),
    _rule(
        "TypeError",
        r"missing 1 required positional argument: 'self'",
        "A method is called on the class instead of an object: make the object first (`layer = Layer(...)`), "
        "then call it.",
    ),
    _rule(
        "TypeError",
        r"missing \d+ required (?:positional|keyword-only) arguments?: '",
        "A call gives fewer arguments than the definition wants: compare both with the signature in the task, "
        "and give `mask` its default `None`.",
    ),
    _rule(
        "TypeError",
        r"takes (?:from )?\d+ (?:to \d+ )?positional arguments? but \d+ (?:was|were) given|^\w+\(\) takes no arguments",
        "A call gives more arguments than the definition takes: compare both with the signature in the task; in"
        " a class, `self` comes first, and `__init__` has two underscores on each side.",
    ),
    _rule(
        "TypeError",
        r"got an unexpected keyword argument",
        "A keyword is used that the called function does not have: check its spelling against the definition.",
    ),
    _rule(
        "TypeError",
        r"\(\) received an invalid combination of arguments",
        "A torch function got arguments of the wrong kinds or number: often None, a list or a plain number "
        "stands where a tensor belongs, or the mask is None and must not be used.",
    ),
    _rule(
        "TypeError AttributeError",
        r"'NoneType' object (?:has no attribute|is not subscriptable|is not callable|is not iterable)|"
        r"unsupported operand type\(s\) for .*'NoneType'|cannot unpack non-iterable NoneType object",
        "Something is None where a value is expected: a function without `return` gives None, and an optional "
        "mask must be tested with `if mask is not None` before it is used.",
    ),
    _rule(
        "AttributeError TypeError",
        r"'tuple' object has no attribute|unsupported operand type\(s\) for .*'tuple'|must be Tensor, not tuple",
        "A tuple is used like a tensor: attention returns (output, attention_weights), so unpack both, and mind"
        " a comma at the end of a line, which makes a tuple too.",
    ),
    _rule(
        "ValueError",
        r"^(?:not enough|too many) values to unpack",
        "The number of names on the left is not the number of values on the right: a shape has one value for "
        "each dimension, and attention returns two results.",
    ),
    _rule(
        "TypeError",
        r"^cannot unpack non-iterable",
        "One value is unpacked as if it were several: look at what the right side returns.",
    ),
    _rule(
        "AttributeError",
        r"'(?:int|float|bool)' object has no attribute",
        "A plain number is used like a tensor: `.item()`, `math` functions and `==` with None give plain Python"
        " values.",
    ),
    _rule(
        "TypeError",
        r"'(?:Tensor|torch\.Size|int|float|tuple)' object is not callable",
        "Something that is not a function is called: `x.shape[0]` and `x.size(0)` are right, `x.shape(0)` is "
        "not, and a variable may hide a function of the same name.",
    ),
    _rule(
        "TypeError",
        r"'(?:builtin_function_or_method|method|function)' object is not subscriptable",
        "Brackets follow a function: write `x.size(0)` or `x.shape[0]`.",
    ),
    _rule(
        "TypeError",
        r"'module' object is not callable",
        "A module is called as if it were a function in it: name the function, as in `torch.tensor` or `math.sqrt`.",
    ),
    # Names.
    _rule(
        "UnboundLocalError",
        r"^(?:cannot access local variable|local variable '.*' referenced before assignment)",
        "A name is used before this function gives it a value: often it is set only inside an `if`, or assigned"
        " later in the function although a global of the same name was meant.",
    ),
    _rule(
        "NameError",
        r"^name '.*' is not defined",
        "A name is not known here: check its spelling, the imports at the top of the file, and `self.` before "
        "attributes.",
    ),
    _rule(
        "AttributeError",
        r"^module '.*' has no attribute",
        "The module has nothing of this name: check the spelling, and whether it lives in `torch`, `torch.nn` "
        "or `torch.nn.functional`.",
    ),
    _rule(
        "AttributeError",
        r"^'Tensor' object has no attribute",
        "Tensors have no method of this name: check the spelling, or use the function from `torch` or "
        "`torch.nn.functional`.",
    ),
    _rule(
        "AttributeError",
        r"^'\w+' object has no attribute",
        "An attribute is used that was never set: check that `__init__` assigns it to `self` under the very "
        "name that is used here.",
    ),
    _rule(
        "RecursionError",
        r"^maximum recursion depth exceeded",
        "A function calls itself without end: often one is named like the function that it means to call.",
    ),
    _rule(
        "ModuleNotFoundError",
        r"^No module named",
        "The imported file or package is not there: exercise files import each other by file name, and only "
        "torch, numpy and matplotlib are provided.",
    ),
    _rule(
        "ImportError",
        r"^cannot import name",
        "The imported file has no such name: check the spelling, and whether two files import each other in a circle.",
    ),
    # Refusals in the learner's own words.
    _rule(
        "ValueError AssertionError RuntimeError",
        r"(?i:\b(?:not |in|be )divisible\b)",
        "The code's own check refused sizes that are fine: the features are divisible when `d_model % num_heads"
        " == 0`, so look at which number is divided by which.",
    ),
)


def explain_exception(type_name: str, message: str) -> str:
    """
    Return what usually causes this exception in attention code.

    Args:
        type_name: Name of the exception's class, with or without its module: ``RuntimeError``.
        message: Its text.

    Returns:
        A sentence or two for learners, without anything from the message, or an empty string for an exception that has
        no usual cause.
    """
    bare_name = type_name.rpartition(".")[2]
    text = message[:_LOOKED_AT]
    for rule in _RULES:
        if bare_name in rule.types and rule.pattern.search(text):
            return rule.sentence
    return ""
