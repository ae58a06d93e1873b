"""The sentences meet the messages that torch and Python really give today."""

import errno
import io
import math
import os
import pdb
import subprocess
import sys
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.sandbox.pretend_device import DeviceMismatch, PretendDevice, to_pretend
from grader.suite import explain
from grader.suite.explain import explain_exception

ONES = torch.ones
BOOLS = torch.tensor([True, False])
TYPED = 1.5  # stands for d_model / num_heads


class ForgetsSuper(nn.Module):
    """Sets what it is told to without ``super().__init__()``."""

    def __init__(self, name: str, value: object) -> None:
        if name == "buffer":
            self.register_buffer(name, value)
        else:
            setattr(self, name, value)

    def forward(self, x):
        """Return the input."""
        return x


class NoForward(nn.Module):
    """A module whose forward is missing."""


class ForgetsLayer(nn.Module):
    """Uses a layer that it never made."""

    def forward(self, x):
        """Use it."""
        return self.W_k(x)


def attention(query, key, value):
    """Take three arguments."""


def AttentionFunction(query, key, value):
    """Stand where a class is wanted."""


def forgets_return(x):
    """Give None."""


def calls_itself(x):
    """Never end."""
    return calls_itself(x)


def uses_before_assignment(flag):
    """Use a name that only one branch sets."""
    if flag:
        scores = 1
    return scores


def unpack_two(values):
    """Unpack."""
    output, weights = values
    return output, weights


def assign_into_a_leaf():
    """Write into an input that autograd watches."""
    x = ONES(3, requires_grad=True)
    x[0] = 1.0


def add_to_a_leaf():
    """Add in place to an input that autograd watches."""
    x = ONES(3, requires_grad=True)
    x += 1


def change_a_saved_result():
    """Change what exp keeps for its gradient."""
    y = ONES(3, requires_grad=True).exp()
    y += 1
    y.sum().backward()


def go_backward_twice():
    """Use a graph after it is gone."""
    y = ONES(3, requires_grad=True).square().sum()
    y.backward()
    y.backward()


def mix_devices():
    """Add a CPU tensor to one on the pretend device."""
    x = to_pretend(ONES(3))
    with PretendDevice():
        x + ONES(3)


def pretend_to_numpy():
    """Read a device tensor with NumPy."""
    with PretendDevice():
        to_pretend(ONES(3)).numpy()


def stopped_in_a_debugger():
    """What a breakpoint() does where nobody can type."""
    pdb.Pdb(stdin=io.StringIO(), stdout=io.StringIO()).set_trace()
    return 1


def asks_somebody():
    """What input() does where nobody can type."""
    with patch("sys.stdin", io.StringIO()):
        input()


def refused_by_the_system(number: int):
    """What opening a file for writing does in a jail, or where files have no size."""
    raise OSError(number, os.strerror(number), "x.png")


def odd_table():
    """Put four cosine columns into three places."""
    torch.zeros(5, 7)[:, 1::2] = ONES(5, 4)


def refuse_sizes():
    """Refuse sizes in the learner's own words."""
    raise ValueError("d_model must be divisible by num_heads")


# What happens, and a word of the sentence that it must lead to.
REPRODUCED: list[tuple[str, Callable[[], object], str]] = [
    ("view_after_transpose", lambda: ONES(2, 3, 4).transpose(1, 2).view(2, 12), "`reshape`"),
    ("view_of_wrong_sizes", lambda: ONES(2, 5, 12).view(2, 7, 3, 4), "d_k"),
    ("reshape_to_wrong_sizes", lambda: ONES(2, 5, 12).reshape(2, 7, 3, 4), "d_k"),
    ("view_with_float_size", lambda: ONES(2, 12).view(2, 3, 12 / 3), "//"),
    ("linear_with_float_size", lambda: nn.Linear(12 / 3, 12), "//"),
    ("range_of_a_float", lambda: range(12 / 3), "//"),
    ("unflatten_to_wrong_sizes", lambda: ONES(2, 7).unflatten(-1, (2, 3)), "num_heads"),
    ("split_into_wrong_sizes", lambda: ONES(5).split([2, 2]), "num_heads"),
    ("key_not_transposed", lambda: ONES(5, 4) @ ONES(7, 4), "transpose"),
    ("wrong_features_for_linear", lambda: nn.Linear(12, 12)(ONES(2, 5, 4)), "as many features"),
    ("key_not_transposed_in_batch", lambda: ONES(2, 3, 5, 4) @ ONES(2, 3, 7, 4), "transpose"),
    ("bmm_of_wrong_shapes", lambda: torch.bmm(ONES(2, 5, 4), ONES(2, 7, 4)), "transpose"),
    ("bmm_of_four_axes", lambda: torch.bmm(ONES(2, 3, 5, 4), ONES(2, 3, 4, 5)), "exactly three axes"),
    ("breakpoint_left_in", stopped_in_a_debugger, "breakpoint"),
    ("write_denied", lambda: refused_by_the_system(errno.EACCES), 'if __name__ == "__main__":'),
    ("write_not_permitted", lambda: refused_by_the_system(errno.EPERM), "cannot write files"),
    ("file_without_size", lambda: refused_by_the_system(errno.EFBIG), "cannot write files"),
    ("read_only_system", lambda: refused_by_the_system(errno.EROFS), "cannot write files"),
    ("saved_by_torch", lambda: torch.save(ONES(2), "/no/such/folder/x.pt"), "cannot write files"),
    ("file_that_is_not_there", lambda: open("/no/such/folder/data.txt"), "no file and no folder"),  # noqa: SIM115
    ("input_left_in", asks_somebody, "nobody can type"),
    ("mask_of_the_queries_length", lambda: ONES(2, 3, 5, 7).masked_fill(ONES(5, 5) == 1, 0), "broadcast"),
    ("sum_that_does_not_broadcast", lambda: ONES(2, 3, 5) + ONES(2, 3, 7), "broadcast"),
    ("odd_d_model", odd_table, "odd d_model"),
    ("expand_away_a_dimension", lambda: ONES(2, 3, 4).expand(3, 4), "`expand`"),
    ("einsum_of_wrong_sizes", lambda: torch.einsum("bqd,bkd->bqk", ONES(2, 5, 4), ONES(2, 7, 3)), "einsum"),
    ("einsum_of_wrong_letters", lambda: torch.einsum("bqd,bkd->bqk", ONES(2, 5, 4), ONES(2, 3, 7, 4)), "einsum"),
    ("einsum_of_unknown_letter", lambda: torch.einsum("bqd->bqh", ONES(2, 5, 4)), "einsum"),
    ("cat_along_the_wrong_dimension", lambda: torch.cat([ONES(2, 3), ONES(2, 4)], 0), "`cat`"),
    ("stack_of_different_shapes", lambda: torch.stack([ONES(2, 3), ONES(2, 4)]), "`stack`"),
    ("cat_of_different_dimensions", lambda: torch.cat([ONES(2, 3), ONES(2, 4, 1)]), "`cat`"),
    ("softmax_over_no_dimension", lambda: ONES(3).softmax(2), "from the right"),
    ("transpose_of_no_dimension", lambda: ONES(3, 4).transpose(1, 2), "from the right"),
    ("permute_of_too_many", lambda: ONES(3, 4).permute(0, 2, 1), "`permute`"),
    ("too_many_indices", lambda: ONES(3, 4)[0, 0, 0], "fewer dimensions"),
    ("tril_of_a_vector", lambda: ONES(3).tril(), "triangle"),
    ("boolean_index_of_wrong_size", lambda: ONES(2, 3)[ONES(2, 4) == 1], "`masked_fill`"),
    ("cell_with_wrong_input", lambda: nn.GRUCell(3, 4)(ONES(2, 5)), "context"),
    ("cell_with_wrong_state", lambda: nn.GRUCell(3, 4)(ONES(2, 3), ONES(2, 5)), "context"),
    ("position_past_the_table", lambda: F.embedding(torch.tensor([9]), ONES(3, 4)), "max_len"),
    ("index_past_the_end", lambda: ONES(3)[5], "past the end"),
    ("gathered_past_the_end", lambda: ONES(3, 4)[torch.tensor([7])], "past the end"),
    ("list_past_the_end", lambda: [1][3], "past the end"),
    ("float_index", lambda: ONES(4)[TYPED], "dtype `torch.bool`"),
    ("fill_overflows_half", lambda: ONES(2).half().masked_fill(BOOLS, -1e9), "65504"),
    ("infinity_into_integers", lambda: ONES(2).long().masked_fill(BOOLS, -math.inf), "65504"),
    ("masked_fill_with_float_mask", lambda: ONES(2).masked_fill(ONES(2), 0), "mask == 0"),
    ("masked_fill_with_int_mask", lambda: ONES(2).masked_fill(ONES(2).int(), 0), "mask == 0"),
    ("where_with_float_mask", lambda: torch.where(ONES(2), ONES(2), ONES(2)), "`torch.where`"),
    ("tilde_on_a_float_mask", lambda: ~ONES(2), "`~`"),
    ("one_minus_bool", lambda: 1 - BOOLS, "`~mask`"),
    ("bool_minus_bool", lambda: BOOLS - BOOLS, "`~mask`"),
    ("minus_bool", lambda: -BOOLS, "`~mask`"),
    ("and_of_floats", lambda: ONES(2) & ONES(2), "`&`"),
    ("or_of_float_and_bool", lambda: ONES(2) | BOOLS, "`&`"),
    ("half_times_float_in_linear", lambda: nn.Linear(4, 4)(ONES(2, 4).half()), "dtype=query.dtype"),
    ("half_times_float", lambda: ONES(5, 4).half() @ ONES(4, 5), "dtype=query.dtype"),
    ("half_times_float_in_batch", lambda: ONES(2, 5, 4).half() @ ONES(2, 4, 5), "dtype=query.dtype"),
    ("float_times_integer", lambda: ONES(2, 5, 4) @ ONES(2, 4, 5).long(), "dtype=query.dtype"),
    ("softmax_of_integers", lambda: ONES(2).long().softmax(-1), "`.float()`"),
    ("mean_of_integers", lambda: ONES(2).long().mean(), "`.float()`"),
    ("embedding_of_floats", lambda: nn.Embedding(3, 4)(ONES(2)), "integers"),
    ("truth_of_a_mask", lambda: 1 if BOOLS else 0, "`.any()`"),
    ("math_on_a_tensor", lambda: math.exp(ONES(2)), "`torch.exp`"),
    ("item_of_many", lambda: ONES(2).item(), "`torch.exp`"),
    ("tensor_of_tensors", lambda: torch.tensor([ONES(2), ONES(2)]), "`torch.stack`"),
    ("torch_sqrt_of_a_number", lambda: torch.sqrt(4), "`math.sqrt(d_k)`"),
    ("assignment_into_a_leaf", assign_into_a_leaf, "clone()"),
    ("addition_to_a_leaf", add_to_a_leaf, "x = x + ..."),
    ("saved_result_changed", change_a_saved_result, "backward pass still needs"),
    ("backward_twice", go_backward_twice, "between calls"),
    ("numpy_of_a_gradient", lambda: ONES(2, requires_grad=True).numpy(), "NumPy knows no gradients"),
    ("numpy_function_of_a_gradient", lambda: np.sqrt(ONES(2, requires_grad=True)), "NumPy knows no gradients"),
    ("backward_of_a_constant", lambda: ONES(2).sum().backward(), "cut off"),
    ("backward_of_many", lambda: ONES(2, requires_grad=True).backward(), "one number"),
    ("parameter_of_integers", lambda: nn.Parameter(ONES(2).long()), "buffer"),
    ("mixed_devices", mix_devices, "device=query.device"),
    ("mixed_with_meta", lambda: ONES(2, device="meta") + ONES(2), "device=query.device"),
    ("numpy_of_a_device_tensor", pretend_to_numpy, "fails on a GPU"),
    ("no_forward", lambda: NoForward()(1), "spelled `forward`"),
    ("list_of_layers_called", lambda: nn.ModuleList([nn.Linear(2, 2)])(1), "self.layers[0](x)"),
    ("dict_of_layers_called", lambda: nn.ModuleDict({"q": nn.Linear(2, 2)})(1), "self.layers[0](x)"),
    ("layer_before_super", lambda: ForgetsSuper("layer", nn.Linear(2, 2)), "super().__init__()"),
    ("parameter_before_super", lambda: ForgetsSuper("weight", nn.Parameter(ONES(2))), "super().__init__()"),
    ("buffer_before_super", lambda: ForgetsSuper("buffer", ONES(2)), "super().__init__()"),
    ("called_without_super", lambda: ForgetsSuper("d_k", 4)(1), "super().__init__()"),
    ("tensor_over_a_parameter", lambda: setattr(nn.Linear(2, 2), "weight", ONES(2, 2)), "nn.Parameter"),
    ("sequential_of_a_list", lambda: nn.Sequential([nn.Linear(2, 2)]), "one by one"),
    ("buffer_over_an_attribute", lambda: nn.Linear(2, 2).register_buffer("weight", ONES(2)), "register_buffer"),
    ("softmax_without_dim", lambda: torch.softmax(ONES(2)), "dim=-1"),
    ("method_on_the_class", lambda: ForgetsLayer.parameters(), "make the object first"),
    ("too_few_arguments", lambda: attention(1), "default `None`"),
    ("too_many_arguments", lambda: attention(1, 2, 3, 4), "more arguments"),
    ("class_that_is_a_function", lambda: AttentionFunction(1), "wants a class"),
    ("small_class_that_is_a_function", lambda: AttentionFunction(1, 2, 3, 4), "wants a class"),
    ("too_few_for_a_class", lambda: ForgetsSuper("layer"), "default `None`"),
    ("too_many_for_a_class", lambda: ForgetsSuper(1, 2, 3), "more arguments"),
    ("unknown_keyword", lambda: attention(1, 2, 3, mask=None), "spelling"),
    ("masked_fill_with_none", lambda: ONES(2).masked_fill(None, 0), "mask is None"),
    ("masked_fill_without_value", lambda: ONES(2).masked_fill(BOOLS), "wrong kinds or number"),
    ("none_times_number", lambda: forgets_return(1) * 2, "`return`"),
    ("attribute_of_none", lambda: forgets_return(1).shape, "`return`"),
    ("index_of_none", lambda: forgets_return(1)[0], "`return`"),
    ("call_of_none", lambda: forgets_return(1)(1), "`return`"),
    ("tensor_times_none", lambda: ONES(2) @ forgets_return(1), "`return`"),
    ("none_unpacked", lambda: unpack_two(forgets_return(1)), "`return`"),
    ("attribute_of_a_tuple", lambda: (ONES(2), ONES(2)).shape, "unpack both"),
    ("tuple_in_a_product", lambda: (ONES(2), ONES(2)) @ ONES(2), "unpack both"),
    ("tuple_in_softmax", lambda: F.softmax((ONES(2), ONES(2)), -1), "unpack both"),
    ("too_many_to_unpack", lambda: unpack_two((1, 2, 3)), "names on the left"),
    ("too_few_to_unpack", lambda: unpack_two((1,)), "names on the left"),
    ("number_unpacked", lambda: unpack_two(3), "as if it were several"),
    ("attribute_of_a_number", lambda: ONES(2).sum().item().shape, "plain number"),
    ("call_of_a_shape", lambda: ONES(2).shape(0), "x.shape[0]"),
    ("call_of_a_tensor", lambda: ONES(2)(0), "not a function"),
    ("index_of_a_method", lambda: ONES(2).size[0], "x.shape[0]"),
    ("call_of_a_module", lambda: torch(2), "name the function"),
    ("name_set_in_one_branch", lambda: uses_before_assignment(False), "inside an `if`"),
    ("unknown_name", lambda: undefined_name, "imports at the top"),  # noqa: F821
    ("unknown_name_in_torch", lambda: F.softmx, "`torch.nn.functional`"),
    ("unknown_method", lambda: ONES(2).transpos, "Tensors have no method"),
    ("unknown_attribute", lambda: ForgetsLayer()(1), "`__init__` assigns"),
    ("endless_recursion", lambda: calls_itself(1), "without end"),
    ("unknown_module", lambda: __import__("a_module_that_is_not_there"), "file name"),
    ("unknown_import", lambda: exec("from torch import Tensr"), "in a circle"),
    ("refused_sizes", refuse_sizes, "d_model % num_heads == 0"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "word"), [case[1:] for case in REPRODUCED], ids=[case[0] for case in REPRODUCED])
def test_what_torch_and_python_say_today_is_explained(program, word):
    """Each message is produced for real, so that an upgrade which changes a text is noticed."""
    with pytest.raises(BaseException) as caught:
        program()

    assert word in explain_exception(type(caught.value).__name__, str(caught.value)), caught.value


def test_no_cuda_is_explained_where_there_is_none():
    """The usual error of hard-coded CUDA on a machine without it."""
    assert "query.device" in explain_exception("AssertionError", "Torch not compiled with CUDA enabled")


@pytest.mark.parametrize(
    ("type_name", "message", "word"),
    [
        ("RuntimeError", '"bitwise_not_cpu" not implemented for \'Float\'', "`~`"),
        ("RuntimeError", "Expected all tensors to be on the same device, but found cuda:0 and cpu!", "device="),
        ("RuntimeError", "expected scalar type Half but found Float", "dtype=query.dtype"),
        ("RuntimeError", "expected mask dtype to be Bool but got Long", "mask == 0"),
        ("RuntimeError", "[enforce fail at x.cc:7] . open file failed with strerror: Permission denied", "write files"),
        ("ValueError", "too many values to unpack (expected 2, got 3)", "names on the left"),
        ("UnboundLocalError", "local variable 'scores' referenced before assignment", "inside an `if`"),
        ("RuntimeError", '"exp_vml_cpu" not implemented for \'Long\'', "`.float()`"),
        ("builtins.NameError", "name 'F' is not defined", "imports at the top"),
        ("AssertionError", "d_model is not divisible by num_heads", "d_model % num_heads == 0"),
        ("TypeError", "can't convert cuda:0 device type tensor to numpy.", "GPU"),
    ],
)  # fmt: skip
def test_texts_of_other_versions_and_devices_are_explained(type_name, message, word):
    """The same mistakes read otherwise on a GPU, in another Python and in an older torch."""
    assert word in explain_exception(type_name, message)


@pytest.mark.parametrize(
    ("type_name", "message"),
    [
        ("RuntimeError", ""),
        ("AssertionError", ""),
        ("RuntimeError", "my own message about a mask"),
        ("ValueError", "view size is not compatible with input tensor's size and stride"),
        ("KeyError", "'mask'"),
        ("ZeroDivisionError", "division by zero"),
        ("ValueError", "query and key must have the same d_k"),
        ("OSError", "[Errno 2] No such file or directory: 'table.npy'"),
        ("MemoryError", ""),
        ("SyntaxError", "invalid syntax"),
        ("RuntimeError", "CUDA out of memory"),
        ("TypeError", "'<' not supported between instances of 'str' and 'int'"),
        ("NotImplementedError", "split_heads is still to be written"),
        ("ValueError", "the divisibility of the mask"),
        ("Exception", "index out of range in self"),
        ("", "index out of range in self"),
    ],
)
def test_anything_else_gets_no_sentence(type_name, message):
    """A wrong explanation is worse than none."""
    assert "" == explain_exception(type_name, message)


def test_every_sentence_is_reached_by_a_real_message():
    """A rule that nothing produces is dead, or hidden by a wider one above it."""
    reached = {explain_exception("AssertionError", "Torch not compiled with CUDA enabled")}
    for _, program, _ in REPRODUCED:
        with pytest.raises(BaseException) as caught:
            program()
        reached.add(explain_exception(type(caught.value).__name__, str(caught.value)))

    assert [] == [rule.sentence for rule in explain._RULES if rule.sentence not in reached]


@pytest.mark.parametrize("secret", ["0.73125", "(731, 25)", "secret_word"])
def test_nothing_of_a_message_is_repeated(secret):
    """The sentence is shown where hidden sizes and values are not, and a learner's code chooses its own messages."""
    for rule in explain._RULES:
        assert secret not in rule.sentence
    for message in (
        f"'{secret}' object has no attribute '{secret}'",
        f"name '{secret}' is not defined",
        f"shape '[{secret}]' is invalid for input of size 12",
    ):
        for type_name in ("AttributeError", "NameError", "RuntimeError"):
            assert secret not in explain_exception(type_name, message)


def test_sentences_are_plain_and_whole():
    """One or two sentences, each ending in a full stop, and none twice."""
    sentences = [rule.sentence for rule in explain._RULES]

    assert len(sentences) == len(set(sentences))
    assert all(sentence[0] in "`" or sentence[0].isupper() for sentence in sentences)
    assert all(sentence.endswith(".") and "  " not in sentence for sentence in sentences)
    assert all(len(sentence) < 330 for sentence in sentences)


def test_a_huge_message_costs_nothing():
    """Learners' code chooses the text; matching must not take long for any."""
    import time

    text = "'" * 200_000 + "permute(" * 50_000
    start = time.perf_counter()
    for type_name in ("RuntimeError", "TypeError", "AttributeError", "ValueError"):
        explain_exception(type_name, text)

    # Far above the fraction of a millisecond that it takes, far below what a pattern that backtracks would take.
    assert time.perf_counter() - start < 2.0


def test_torch_is_not_imported():
    """A report is rendered where no tensor runs."""
    program = f"import runpy, sys; runpy.run_path({explain.__file__!r}); sys.exit('torch' in sys.modules)"

    assert 0 == subprocess.run([sys.executable, "-c", program], check=False).returncode


def test_the_pretend_device_raises_under_the_name_that_is_looked_up():
    """The rule names the class, so a renamed class must fail here."""
    assert "DeviceMismatch" == DeviceMismatch.__name__
