"""A pretend device catches device mistakes and nothing else, with the CPU's own numbers."""

# ruff: noqa: D102, D103 - the small programs under test say in their names what they are

import copy
import math
import os
import sys
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grader.sandbox import pretend_device
from grader.sandbox.pretend_device import (
    DeviceMismatch,
    Event,
    PretendDevice,
    is_device_mistake,
    is_pretend,
    module_to_pretend,
    to_host,
    to_pretend,
)

# Pairwise different, so that a swapped axis cannot pass.
BATCH, NUM_HEADS, SEQ_Q, SEQ_K, D_K = 2, 3, 5, 7, 4
D_MODEL = NUM_HEADS * D_K

# The same CPU kernels run on the same values, but fused and plain paths may be chosen differently.
ATOL = 1e-6


def attention_inputs() -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    sizes = (SEQ_Q, SEQ_K, SEQ_K)
    query, key, value = (torch.randn(BATCH, NUM_HEADS, size, D_K, generator=generator) for size in sizes)
    return query, key, value


def tokens(seq_len: int = SEQ_Q) -> Tensor:
    """Return the input of a module, (batch, seq_len, d_model)."""
    return torch.randn(BATCH, seq_len, D_MODEL, generator=torch.Generator().manual_seed(6))


def scores_of(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))


def causal(seq_q: int, seq_k: int, device: torch.device) -> Tensor:
    return torch.ones(seq_q, seq_k, dtype=torch.bool, device=device).tril()


# --- right programs on (query, key, value): each works on a GPU, so it must work here and give the CPU's values


def masked_fill_with_infinity(query, key, value):
    mask = causal(SEQ_Q, SEQ_K, query.device)
    return scores_of(query, key).masked_fill(~mask, float("-inf")).softmax(-1) @ value


def where_with_a_0_dim_cpu_tensor(query, key, value):
    mask = causal(SEQ_Q, SEQ_K, query.device)
    scores = scores_of(query, key)
    return torch.where(mask, scores, torch.tensor(-1e9)).softmax(-1) @ value


def where_with_a_number(query, key, value):
    return torch.where(causal(SEQ_Q, SEQ_K, query.device), scores_of(query, key), float("-inf")).softmax(-1) @ value


def masked_fill_with_a_0_dim_cpu_value(query, key, value):
    mask = causal(SEQ_Q, SEQ_K, query.device)
    return scores_of(query, key).masked_fill(~mask, torch.tensor(float("-inf"))).softmax(-1) @ value


def additive_mask_from_full_and_triu(query, key, value):
    bias = torch.full((SEQ_Q, SEQ_K), float("-inf"), device=query.device).triu(diagonal=1)
    return (scores_of(query, key) + bias).softmax(-1) @ value


def einsum_throughout(query, key, value):
    weights = torch.einsum("bhqd,bhkd->bhqk", query, key).div(D_K**0.5).softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, value)


def square_root_of_a_0_dim_cpu_tensor(query, key, value):
    return (query @ key.mT / torch.sqrt(torch.tensor(D_K))).softmax(-1) @ value


def square_root_by_numpy(query, key, value):
    return (query @ key.mT / np.sqrt(D_K)).softmax(-1) @ value


def scale_in_place_and_by_reciprocal(query, key, value):
    scores = torch.matmul(query, key.transpose(2, 3))
    scores *= D_K**-0.5
    return torch.matmul(F.softmax(scores, dim=-1), value)


def mask_moved_with_to(query, key, value):
    mask = torch.tril(torch.ones(SEQ_Q, SEQ_K)).to(query.device)
    return scores_of(query, key).masked_fill(mask == 0, -1e9).softmax(-1) @ value


def mask_moved_with_to_another_tensor(query, key, value):
    mask = torch.tril(torch.ones(SEQ_Q, SEQ_K)).to(query)
    return scores_of(query, key).masked_fill(mask == 0, -1e9).softmax(-1) @ value


def mask_moved_with_type_as(query, key, value):
    return scores_of(query, key).masked_fill(torch.ones(SEQ_Q, SEQ_K).tril().type_as(query) == 0, -1e9).softmax(-1)


def mask_from_new_ones(query, key, value):
    return scores_of(query, key).masked_fill(query.new_ones(SEQ_Q, SEQ_K).tril() == 0, -1e9).softmax(-1) @ value


def mask_from_ones_like(query, key, value):
    scores = scores_of(query, key)
    return scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf")).softmax(-1) @ value


def mask_from_arange_comparison(query, key, value):
    rows, columns = (torch.arange(size, device=query.device) for size in (SEQ_Q, SEQ_K))
    return scores_of(query, key).masked_fill(columns[None, :] > rows[:, None], -torch.inf).softmax(-1) @ value


def padding_from_lengths_on_the_device(query, key, value):
    lengths = torch.tensor([3, SEQ_K], device=query.device)
    mask = (torch.arange(SEQ_K, device=lengths.device) < lengths[:, None])[:, None, None, :]
    return scores_of(query, key).masked_fill(~mask, -torch.inf).softmax(-1) @ value


def boolean_assignment(query, key, value):
    scores = scores_of(query, key)
    scores[..., query.new_ones(SEQ_Q, SEQ_K).triu(1).bool()] = float("-inf")
    return scores.softmax(-1) @ value


def boolean_selection_with_a_cpu_mask(query, key, value):
    """CUDA lets a tensor be indexed by a mask that lies on the CPU."""
    return query[:, :, torch.tensor([True, False, True, True, False])] @ key.mT


def integer_indices_on_the_cpu(query, key, value):
    return query[:, torch.tensor([2, 0, 1])] @ key[:, torch.tensor([2, 0, 1])].mT


def rows_written_one_by_one(query, key, value):
    output = torch.zeros_like(query)
    for row in range(SEQ_Q):
        weights = torch.softmax(key[:, :, : row + 1] @ query[:, :, row, :, None] / 2, dim=-2)
        output[:, :, row] = (weights * value[:, :, : row + 1]).sum(-2)
    return output


def heads_in_a_loop(query, key, value):
    heads = [
        scores_of(q, k).softmax(-1) @ v for q, k, v in zip(query.unbind(1), key.unbind(1), value.unbind(1), strict=True)
    ]
    return torch.stack(heads, dim=1)


def chunks_and_cat(query, key, value):
    parts = [scores_of(part, key).softmax(-1) @ value for part in query.chunk(2, dim=2)]
    return torch.cat(parts, dim=2)


def expand_view_permute_contiguous(query, key, value):
    mask = query.new_ones(1, 1, SEQ_Q, SEQ_K).bool().tril().expand(BATCH, NUM_HEADS, -1, -1)
    output = scores_of(query, key).masked_fill(mask.logical_not(), -1e9).softmax(-1) @ value
    return output.permute(0, 2, 1, 3).contiguous().view(BATCH, SEQ_Q, D_MODEL)


def flattened_bmm(query, key, value):
    flat = [tensor.reshape(-1, tensor.size(-2), D_K) for tensor in (query, key, value)]
    scores = torch.baddbmm(query.new_zeros(1), flat[0], flat[1].transpose(1, 2), beta=0, alpha=0.5)
    return torch.bmm(scores.softmax(-1), flat[2]).view(BATCH, NUM_HEADS, SEQ_Q, D_K)


def softmax_by_hand(query, key, value):
    scores = scores_of(query, key)
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return exponentials / exponentials.sum(-1, keepdim=True) @ value


def logsumexp(query, key, value):
    scores = scores_of(query, key)
    return torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)) @ value


def multiply_and_sum(query, key, value):
    weights = (query.unsqueeze(3) * key.unsqueeze(2)).sum(-1).mul(0.5).softmax(-1)
    return (weights.unsqueeze(-1) * value.unsqueeze(2)).sum(3)


def fully_masked_rows_to_zero(query, key, value):
    mask = causal(SEQ_Q, SEQ_K, query.device)
    mask[1] = False
    weights = scores_of(query, key).masked_fill(~mask, float("-inf")).softmax(-1)
    return torch.nan_to_num(weights, nan=0.0) @ value


def branch_on_the_values(query, key, value):
    mask = causal(SEQ_Q, SEQ_K, query.device)
    scores = scores_of(query, key)
    if (~mask).any():
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    assert torch.isfinite(scores).all()
    return scores.softmax(-1) @ value


def numbers_read_back(query, key, value):
    longest = int(torch.tensor([2, SEQ_K], device=query.device).max().item())
    return query @ key[:, :, :longest].mT / float(query.new_tensor(D_K)) ** 0.5


def round_trip_through_cpu(query, key, value):
    weights = scores_of(query, key).cpu().softmax(-1)
    return weights.to(query.device) @ value


def numpy_table_moved_to_the_device(query, key, value):
    return scores_of(query, key) + torch.from_numpy(np.tri(SEQ_Q, SEQ_K, dtype=np.float32)).to(query.device)


def torch_tensor_of_a_list_on_the_device(query, key, value):
    return query * torch.tensor([1.0, 2.0, 3.0, 4.0], device=query.device)


def default_device_context(query, key, value):
    with torch.device(query.device):
        mask = torch.ones(SEQ_Q, SEQ_K).tril()
    return scores_of(query, key).masked_fill(mask == 0, -1e9).softmax(-1) @ value


def views_changed_in_place(query, key, value):
    table = torch.zeros(SEQ_Q, D_K, device=query.device)
    angles = torch.arange(SEQ_Q, device=query.device).unsqueeze(1) / query.new_tensor([1.0, 100.0])
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)
    return query + table.unsqueeze_(0).unsqueeze_(0)


def metadata_changed_in_place(query, key, value):
    turned = key.clone().transpose_(-2, -1)
    return (query @ turned).unsqueeze_(0).squeeze_(0)


def half_precision(query, key, value):
    query, key, value = query.half(), key.half(), value.half()
    return (query @ key.mT / 2).float().softmax(-1).to(query.dtype) @ value


def double_precision(query, key, value):
    return scores_of(query.double(), key.double()).softmax(-1) @ value.double()


def complex_rotation(query, key, value):
    angles = torch.outer(torch.arange(SEQ_Q, device=query.device), query.new_tensor([1.0, 0.1]))
    rotated = torch.view_as_complex(query.reshape(BATCH, NUM_HEADS, SEQ_Q, 2, 2)) * torch.polar(
        torch.ones_like(angles), angles
    )
    return torch.view_as_real(rotated).flatten(-2)


def fused_kernel(query, key, value):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=causal(SEQ_Q, SEQ_K, query.device))


def values_replaced_through_data(query, key, value):
    output = query.clone()
    output.data = output.data * 2
    output.data[:, 0] = 1.0
    return output @ key.mT


def numbers_printed(query, key, value):
    assert f"{query.mean():.3f}" != f"{query.std():.3f}"
    assert "pretend" in f"{query}" or query.device.type == "cpu"
    return query * key[:, :, :SEQ_Q]


def gather_and_topk(query, key, value):
    best = scores_of(query, key).topk(2, dim=-1)
    return torch.gather(scores_of(query, key), -1, best.indices) + best.values


def vmapped_over_the_batch(query, key, value):
    return torch.vmap(lambda q, k, v: scores_of(q, k).softmax(-1) @ v)(query, key, value)


RIGHT_FUNCTIONS = [
    masked_fill_with_infinity,
    where_with_a_0_dim_cpu_tensor,
    where_with_a_number,
    masked_fill_with_a_0_dim_cpu_value,
    additive_mask_from_full_and_triu,
    einsum_throughout,
    square_root_of_a_0_dim_cpu_tensor,
    square_root_by_numpy,
    scale_in_place_and_by_reciprocal,
    mask_moved_with_to,
    mask_moved_with_to_another_tensor,
    mask_moved_with_type_as,
    mask_from_new_ones,
    mask_from_ones_like,
    mask_from_arange_comparison,
    padding_from_lengths_on_the_device,
    boolean_assignment,
    boolean_selection_with_a_cpu_mask,
    integer_indices_on_the_cpu,
    rows_written_one_by_one,
    heads_in_a_loop,
    chunks_and_cat,
    expand_view_permute_contiguous,
    flattened_bmm,
    softmax_by_hand,
    logsumexp,
    multiply_and_sum,
    fully_masked_rows_to_zero,
    branch_on_the_values,
    numbers_read_back,
    round_trip_through_cpu,
    numpy_table_moved_to_the_device,
    torch_tensor_of_a_list_on_the_device,
    default_device_context,
    views_changed_in_place,
    metadata_changed_in_place,
    half_precision,
    double_precision,
    complex_rotation,
    fused_kernel,
    values_replaced_through_data,
    numbers_printed,
    gather_and_topk,
    vmapped_over_the_batch,
]


# --- right modules on (batch, seq_len, d_model)


class Heads(nn.Module):
    """The usual multi-head attention."""

    def __init__(self) -> None:
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(D_MODEL, D_MODEL) for _ in range(4))
        self.last_weights = None

    def forward(self, x):
        batch, seq_len, _ = x.shape
        query, key, value = (
            layer(x).view(batch, seq_len, NUM_HEADS, -1).transpose(1, 2) for layer in (self.W_q, self.W_k, self.W_v)
        )
        self.last_weights = scores_of(query, key).masked_fill(~causal(seq_len, seq_len, x.device), -1e9).softmax(-1)
        return self.W_o((self.last_weights @ value).transpose(1, 2).reshape(batch, seq_len, -1))


class FusedProjection(nn.Module):
    """One linear layer for all three, split afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.in_proj = nn.Linear(D_MODEL, 3 * D_MODEL, bias=False)

    def forward(self, x):
        query, key, value = self.in_proj(x).unflatten(-1, (3, NUM_HEADS, D_K)).permute(2, 0, 3, 1, 4).unbind(0)
        return (scores_of(query, key).softmax(-1) @ value).transpose(1, 2).flatten(2)


class BareParameters(nn.Module):
    """Weights as parameters, used through einsum."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, NUM_HEADS, D_K, D_MODEL) / 4)
        self.scale = nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        query, key, value = torch.einsum("bsm,thdm->tbhsd", x, self.weight)
        return (query @ key.mT * self.scale).softmax(-1) @ value


class WithBuffer(nn.Module):
    """A positional encoding in a buffer."""

    def __init__(self, persistent: bool = True) -> None:
        super().__init__()
        table = torch.zeros(1, 50, D_MODEL)
        angles = torch.arange(50).unsqueeze(1) * torch.exp(torch.arange(0, D_MODEL, 2) * (-math.log(1e4) / D_MODEL))
        table[0, :, 0::2] = torch.sin(angles)
        table[0, :, 1::2] = torch.cos(angles)
        self.register_buffer("pe", table, persistent=persistent)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)].requires_grad_(False))


class NotPersistent(WithBuffer):
    """The same with a buffer that is not saved."""

    def __init__(self) -> None:
        super().__init__(persistent=False)


class FrozenParameter(nn.Module):
    """The table as a parameter that does not learn."""

    def __init__(self) -> None:
        super().__init__()
        self.pe = nn.Parameter(torch.randn(1, 50, D_MODEL), requires_grad=False)

    def forward(self, x):
        return x + self.pe[:, : x.shape[1]]


class MovedOnUse(nn.Module):
    """A plain attribute that forward moves to where it is needed."""

    def __init__(self) -> None:
        super().__init__()
        self.pe = torch.randn(50, D_MODEL)

    def forward(self, x):
        self.pe = self.pe.to(x.device)
        return x + self.pe[: x.size(1)]


class MovedByApply(nn.Module):
    """A plain attribute that moves with the module."""

    def __init__(self) -> None:
        super().__init__()
        self.pe = torch.randn(50, D_MODEL)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.pe = fn(self.pe)
        return self

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class MadeOnTheFly(nn.Module):
    """Sine and cosine computed in each call."""

    def forward(self, x):
        positions = torch.arange(x.size(1), dtype=x.dtype, device=x.device)
        rates = 10000 ** (-torch.arange(0, D_MODEL, 2, device=x.device) / D_MODEL)
        angles = positions[:, None] * rates
        return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class PerHeadLayers(nn.Module):
    """One small module for each head in a ModuleList."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(D_MODEL, D_K) for _ in range(NUM_HEADS))

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class TiedAndListed(nn.Module):
    """One parameter under two names and in a plain list: a move keeps all three the same."""

    def __init__(self) -> None:
        super().__init__()
        self.into = nn.Linear(D_MODEL, D_MODEL, bias=False)
        self.out = nn.Linear(D_MODEL, D_MODEL, bias=False)
        self.out.weight = self.into.weight
        self.weights = [self.into.weight]

    def forward(self, x):
        return self.out(x) + x @ self.weights[0].T


class EmbeddingAndNorm(nn.Module):
    """Embedding look-up, layer norm, feed-forward."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, D_MODEL)
        self.feed = nn.Sequential(nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, 8), nn.GELU(), nn.Linear(8, D_MODEL))

    def forward(self, x):
        return self.feed(x + self.table(torch.arange(x.size(1), device=x.device)))


class AdditiveWithCell(nn.Module):
    """Additive attention in front of a GRU cell."""

    def __init__(self) -> None:
        super().__init__()
        self.W_query, self.W_key, self.v = nn.Linear(D_MODEL, 6), nn.Linear(D_MODEL, 6), nn.Linear(6, 1, bias=False)
        self.cell = nn.GRUCell(D_MODEL, D_MODEL)

    def forward(self, x):
        state = torch.zeros(x.size(0), D_MODEL, device=x.device)
        for _ in range(2):
            energy = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(x))).squeeze(-1)
            state = self.cell((energy.softmax(-1).unsqueeze(1) @ x).squeeze(1), state)
        return state


class LibraryAttention(nn.Module):
    """PyTorch's own module."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(D_MODEL, NUM_HEADS, batch_first=True)

    def forward(self, x):
        return self.inner(x, x, x, attn_mask=~causal(x.size(1), x.size(1), x.device))[0]


class LibraryEncoder(nn.Module):
    """PyTorch's own encoder layer."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.TransformerEncoderLayer(D_MODEL, NUM_HEADS, 8, batch_first=True)

    def forward(self, x):
        return self.inner(x)


class Recurrent(nn.Module):
    """A whole recurrent layer."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.LSTM(D_MODEL, D_MODEL, batch_first=True)

    def forward(self, x):
        return self.inner(x)[0]


RIGHT_MODULES = [
    Heads,
    FusedProjection,
    BareParameters,
    WithBuffer,
    NotPersistent,
    FrozenParameter,
    MovedOnUse,
    MovedByApply,
    MadeOnTheFly,
    PerHeadLayers,
    TiedAndListed,
    EmbeddingAndNorm,
    AdditiveWithCell,
    LibraryAttention,
    LibraryEncoder,
    Recurrent,
]


def gradients_of(
    call: Callable[..., Tensor], inputs: list[Tensor], parameters: list[Tensor]
) -> tuple[Tensor, list[Tensor | None]]:
    """Return the output and the gradients of a weighted sum of it, wherever the inputs live."""
    output = call(*inputs)
    weights = torch.linspace(-1, 1, output.numel(), device=output.device).view(output.shape)
    targets = [tensor for tensor in (*inputs, *parameters) if tensor.requires_grad]
    return output, list(torch.autograd.grad((output * weights).sum(), targets, allow_unused=True))


def assert_same(expected: Tensor | None, got: Tensor | None) -> None:
    assert (expected is None) == (got is None)
    if expected is not None and got is not None:
        assert not is_pretend(to_host(got))
        assert expected.dtype == to_host(got).dtype
        torch.testing.assert_close(to_host(got), expected.detach(), atol=ATOL, rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("program", RIGHT_FUNCTIONS, ids=lambda program: program.__name__)
def test_right_functions_give_the_values_and_gradients_of_the_cpu(program):
    """Code that runs on a GPU is never refused, and what comes back is what the CPU computes."""
    inputs = [tensor.requires_grad_() for tensor in attention_inputs()]
    expected, expected_gradients = gradients_of(program, inputs, [])

    pretend_inputs = [to_pretend(tensor) for tensor in inputs]
    with PretendDevice() as device:
        got, got_gradients = gradients_of(program, pretend_inputs, [])

    assert is_pretend(got)
    assert device.unsure == ""
    assert_same(expected, got)
    for expected_gradient, gradient in zip(expected_gradients, got_gradients, strict=True):
        assert gradient is None or is_pretend(gradient)
        assert_same(expected_gradient, gradient)


@pytest.mark.parametrize("make", RIGHT_MODULES, ids=lambda make: make.__name__)
def test_right_modules_give_the_values_and_gradients_of_the_cpu(make):
    """Gradients reach the inputs and every parameter, by the same names."""
    torch.manual_seed(1)
    module = make().eval()
    x = tokens().requires_grad_()
    parameters = dict(module.named_parameters())
    expected, expected_gradients = gradients_of(module, [x], list(parameters.values()))

    pretend_module = module_to_pretend(module)
    pretend_parameters = dict(pretend_module.named_parameters())
    with PretendDevice():
        got, got_gradients = gradients_of(pretend_module, [to_pretend(x)], list(pretend_parameters.values()))

    assert list(parameters) == list(pretend_parameters)
    assert all(
        isinstance(parameter, nn.Parameter) and is_pretend(parameter) for parameter in pretend_parameters.values()
    )
    assert is_pretend(got)
    assert_same(expected, got)
    for expected_gradient, gradient in zip(expected_gradients, got_gradients, strict=True):
        assert_same(expected_gradient, gradient)


# --- wrong programs: each raises on a GPU


def mask_made_on_the_cpu(query, key, value):
    return scores_of(query, key).masked_fill(~torch.ones(SEQ_Q, SEQ_K, dtype=torch.bool).tril(), -1e9).softmax(-1)


def where_mask_made_on_the_cpu(query, key, value):
    return torch.where(torch.ones(SEQ_Q, SEQ_K).tril() == 1, scores_of(query, key), -1e9)


def where_fill_made_on_the_cpu(query, key, value):
    scores = scores_of(query, key)
    return torch.where(causal(SEQ_Q, SEQ_K, query.device), scores, torch.full(scores.shape, -1e9))


def additive_mask_made_on_the_cpu(query, key, value):
    return scores_of(query, key) + torch.zeros(SEQ_Q, SEQ_K)


def fused_kernel_with_a_cpu_mask(query, key, value):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=torch.ones(SEQ_Q, SEQ_K).tril().bool())


def arange_made_on_the_cpu(query, key, value):
    return query + torch.arange(D_K)


def lengths_compared_with_a_cpu_arange(query, key, value):
    lengths = torch.tensor([3, SEQ_K], device=query.device)
    return torch.arange(SEQ_K) < lengths[:, None]


def one_dimensional_scale(query, key, value):
    return query @ key.mT / torch.sqrt(torch.tensor([D_K]))


def output_buffer_made_on_the_cpu(query, key, value):
    output = torch.zeros(BATCH, NUM_HEADS, SEQ_Q, D_K)
    for row in range(SEQ_Q):
        output[:, :, row] += query[:, :, row]
    return output


def running_sum_on_the_cpu(query, key, value):
    total = torch.tensor(0.0)
    total += query.sum()
    return total


def stacked_with_a_0_dim_cpu_tensor(query, key, value):
    """Arithmetic takes a 0-dimensional CPU tensor, stacking does not."""
    return torch.stack([query.sum(), torch.tensor(0.0)])


def written_into_with_out(query, key, value):
    return torch.matmul(query, key.mT, out=torch.empty(BATCH, NUM_HEADS, SEQ_Q, SEQ_K))


def concatenated_with_a_cpu_tensor(query, key, value):
    return torch.cat([query, torch.zeros(BATCH, NUM_HEADS, 1, D_K)], dim=2)


def einsum_with_a_cpu_weight(query, key, value):
    return torch.einsum("bhqd,de->bhqe", query, torch.eye(D_K))


def gathered_by_cpu_indices(query, key, value):
    return torch.gather(query, -1, torch.zeros(BATCH, NUM_HEADS, SEQ_Q, 1, dtype=torch.long))


def cpu_tensor_indexed_by_the_device(query, key, value):
    return torch.randn(50, D_K)[torch.arange(SEQ_Q, device=query.device)]


def cpu_values_assigned_by_index(query, key, value):
    query = query.clone()
    query[:, :, torch.tensor([0, 1])] = torch.zeros(2, D_K)
    query[:, :, query.new_tensor([0, 1]).long()] = torch.ones(2, D_K)
    return query


def hard_coded_cuda(query, key, value):
    return scores_of(query, key) + torch.zeros(SEQ_Q, SEQ_K).cuda()


def hard_coded_cuda_device(query, key, value):
    return scores_of(query, key) + torch.zeros(SEQ_Q, SEQ_K, device="cuda")


def inputs_sent_to_cuda(query, key, value):
    return query.cuda() @ key.cuda().mT


def numpy_round_trip(query, key, value):
    return torch.from_numpy(query.detach().numpy()) @ key.mT


def numpy_function_on_a_tensor(query, key, value):
    return torch.from_numpy(np.exp(query.detach()))


def embedding_table_on_the_cpu(query, key, value):
    return F.embedding(torch.arange(SEQ_Q, device=query.device), torch.randn(50, D_K)) + query


WRONG_FUNCTIONS = [
    mask_made_on_the_cpu,
    where_mask_made_on_the_cpu,
    where_fill_made_on_the_cpu,
    additive_mask_made_on_the_cpu,
    fused_kernel_with_a_cpu_mask,
    arange_made_on_the_cpu,
    lengths_compared_with_a_cpu_arange,
    one_dimensional_scale,
    output_buffer_made_on_the_cpu,
    running_sum_on_the_cpu,
    stacked_with_a_0_dim_cpu_tensor,
    written_into_with_out,
    concatenated_with_a_cpu_tensor,
    einsum_with_a_cpu_weight,
    gathered_by_cpu_indices,
    cpu_tensor_indexed_by_the_device,
    cpu_values_assigned_by_index,
    hard_coded_cuda,
    hard_coded_cuda_device,
    inputs_sent_to_cuda,
    numpy_round_trip,
    numpy_function_on_a_tensor,
    embedding_table_on_the_cpu,
]


class PlainAttribute(nn.Module):
    """The table is no buffer, so ``.to`` leaves it behind."""

    def __init__(self) -> None:
        super().__init__()
        self.pe = torch.randn(50, D_MODEL)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class AliasOfABuffer(nn.Module):
    """The buffer moves, a second name for it does not."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.randn(50, D_MODEL)
        self.register_buffer("pe", self.table)

    def forward(self, x):
        return x + self.table[: x.size(1)]


class ListOfLayers(nn.Module):
    """Layers in a plain list are not registered."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(D_MODEL, D_MODEL) for _ in range(4)]

    def forward(self, x):
        return self.layers[0](x)


class LayerMadeInForward(nn.Module):
    """A new layer in each call, on the CPU."""

    def forward(self, x):
        return nn.Linear(D_MODEL, D_MODEL)(x)


class CpuPositions(nn.Module):
    """Positions for the embedding are made on the CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, D_MODEL)

    def forward(self, x):
        return x + self.table(torch.arange(x.size(1)))


class CpuState(nn.Module):
    """The first state of the cell is made on the CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(D_MODEL, D_MODEL)

    def forward(self, x):
        return self.cell(x[:, 0], torch.zeros(x.size(0), D_MODEL))


WRONG_MODULES = [PlainAttribute, AliasOfABuffer, ListOfLayers, LayerMadeInForward, CpuPositions, CpuState]


@pytest.mark.parametrize("program", WRONG_FUNCTIONS, ids=lambda program: program.__name__)
def test_wrong_functions_are_caught(program):
    """Each passes on the CPU (but for the hard-coded CUDA) and is found here, as a device mistake."""
    inputs = [to_pretend(tensor) for tensor in attention_inputs()]

    with PretendDevice() as device, pytest.raises(Exception, match=r"device|CUDA|cuda|NVIDIA") as caught:
        program(*inputs)

    assert is_device_mistake(caught.value), caught.value
    assert device.unsure == ""


@pytest.mark.parametrize("make", WRONG_MODULES, ids=lambda make: make.__name__)
def test_wrong_modules_are_caught(make):
    """The module works on the CPU; what did not move with it is found."""
    module = make().eval()
    module(tokens())
    pretend_module = module_to_pretend(module)

    with PretendDevice(), pytest.raises(DeviceMismatch):
        pretend_module(to_pretend(tokens()))


def test_a_mismatch_reads_like_torchs_own_message():
    """Learners will meet torch's sentence on a GPU, so they meet it here, with the tensor that is to blame."""
    query, key, _ = (to_pretend(tensor) for tensor in attention_inputs())

    with PretendDevice(), pytest.raises(DeviceMismatch) as caught:
        scores_of(query, key).masked_fill(torch.ones(SEQ_Q, SEQ_K, dtype=torch.bool), 0)

    assert (
        "Expected all tensors to be on the same device, but found at least two devices, pretend:0 and cpu! "
        "(in masked_fill: the tensor of shape (5, 7) is on cpu)"
    ) == str(caught.value)


def test_a_result_left_on_the_cpu_is_seen():
    """Code that computes on the CPU raises nothing; where its result lies tells."""
    query, key, _ = (to_pretend(tensor) for tensor in attention_inputs())

    with PretendDevice() as device:
        left, right = scores_of(query.cpu(), key.cpu()), scores_of(query, key)

    assert not is_pretend(left)
    assert is_pretend(right)
    assert [Event("to_host", "to (2, 3, 5, 4)"), Event("to_host", "to (2, 3, 7, 4)")] == device.events


def test_transfers_and_synchronisations_are_recorded():
    """A GPU would wait at each of these, so a teacher may show them."""
    query = to_pretend(attention_inputs()[0])

    with PretendDevice() as device:
        torch.ones(3).to(query.device)
        query.sum().item()
        bool(query.isfinite().all())
        query[0, 0, 0].tolist()

    assert [
        Event("to_device", "to (3,)"),
        Event("synchronise", "item ()"),
        Event("synchronise", "item ()"),
        Event("synchronise", "tolist (4,)"),
    ] == device.events


@pytest.mark.parametrize("ask", [lambda tensor: tensor.is_cuda, lambda tensor: tensor.get_device() >= 0])
def test_code_that_asks_for_cuda_by_name_makes_the_judgement_unsure(ask):
    """``if x.is_cuda: mask = mask.cuda()`` is right on a GPU, and no pretend device can tell."""
    query = to_pretend(attention_inputs()[0])

    with PretendDevice() as device:
        ask(query)

    assert "asks for CUDA by name" in device.unsure


def test_the_module_given_stays_as_it_was():
    """The pretend module is a copy: the learner's own keeps its place, its values and its parameter objects."""
    module = WithBuffer()
    module.layer = nn.Linear(3, 3)
    weight, before = module.layer.weight, copy.deepcopy(module.state_dict())

    module_to_pretend(module)

    assert weight is module.layer.weight
    assert not any(is_pretend(tensor) for tensor in (*module.parameters(), *module.buffers()))
    torch.testing.assert_close(module.state_dict(), before, atol=0, rtol=0)


def test_a_module_that_keeps_its_last_weights_can_be_copied():
    """Torch refuses to deep-copy a tensor with a history, and many modules keep one for a plot."""
    module = Heads()
    module(tokens())

    moved = module_to_pretend(module)

    assert module.last_weights.grad_fn is not None
    torch.testing.assert_close(moved.last_weights, module.last_weights.detach(), atol=0, rtol=0)


def test_a_module_keeps_training_and_dropout_draws_as_on_the_cpu():
    """The same seed gives the same dropout."""
    module = nn.Dropout(0.5)
    x = tokens()
    torch.manual_seed(3)
    expected = module(x)

    pretend_module = module_to_pretend(module)
    torch.manual_seed(3)
    with PretendDevice():
        got = pretend_module(to_pretend(x))

    assert pretend_module.training
    torch.testing.assert_close(to_host(got), expected, atol=0, rtol=0)


def test_a_copy_shares_no_values_with_its_source():
    """What code does to a pretend tensor must not reach the tensor that it was made from."""
    source = torch.ones(3)
    pretend = to_pretend(source)

    with PretendDevice():
        pretend.mul_(2)

    assert [1.0, 1.0, 1.0] == source.tolist()
    assert [2.0, 2.0, 2.0] == to_host(pretend).tolist()


def test_a_host_tensor_passes_to_host_unchanged():
    """Suites need not know where a value was."""
    tensor = torch.ones(2, requires_grad=True)

    assert to_host(tensor) is tensor
    assert not is_pretend(tensor)
    assert not is_pretend("text")


def test_requires_grad_is_carried_over_both_ways():
    """A pretend input is a leaf like its source; what comes back has no history."""
    tensor = to_pretend(torch.ones(2, requires_grad=True))

    assert tensor.requires_grad
    assert tensor.is_leaf
    assert not to_host(tensor * 2).requires_grad
    assert not to_pretend(torch.ones(2)).requires_grad


def test_backward_fills_grad_of_inputs_and_parameters():
    """``.backward()`` inside learner's code works as well as ``torch.autograd.grad``."""
    module = module_to_pretend(nn.Linear(3, 2))
    x = to_pretend(torch.ones(4, 3, requires_grad=True))

    with PretendDevice():
        module(x).sum().backward()

    assert [4.0, 4.0] == to_host(module.bias.grad).tolist()
    torch.testing.assert_close(to_host(x.grad), to_host(module.weight).sum(0).expand(4, 3), atol=1e-6, rtol=0)


def test_contexts_leave_torch_as_they_found_it():
    """An exception in the learner's code must not leave a mode or a switch behind."""
    get_switch = torch._C._only_lift_cpu_tensors
    before = get_switch(), torch.__future__.get_swap_module_params_on_conversion()

    with pytest.raises(ZeroDivisionError), PretendDevice(), PretendDevice():
        1 / 0  # noqa: B018
    module_to_pretend(nn.Linear(2, 2))

    assert before == (get_switch(), torch.__future__.get_swap_module_params_on_conversion())
    assert [] == pretend_device._active
    assert type(torch.ones(2) + 1) is Tensor


def test_the_label_changes_nothing_for_other_code():
    """Learner's code that looks for an accelerator must find what the machine has, not our pretence."""
    pretend_device.prepare()

    assert torch.accelerator.is_available() == (torch.cuda.is_available() or torch.backends.mps.is_available())


def test_other_errors_are_no_device_mistakes():
    """A wrong shape is told by another check; here it must not be blamed on the device."""
    query, key, _ = (to_pretend(tensor) for tensor in attention_inputs())

    with PretendDevice(), pytest.raises(RuntimeError) as caught:
        query @ key

    assert not is_device_mistake(caught.value)


def test_preparing_draws_no_random_numbers():
    """A process that was prepared gives the same random numbers as one that was not."""
    torch.manual_seed(0)
    expected = torch.rand(3)

    torch.manual_seed(0)
    pretend_device.unavailable_reason.cache_clear()
    pretend_device.prepare()

    assert pretend_device.available(), pretend_device.unavailable_reason()
    torch.testing.assert_close(torch.rand(3), expected, atol=0, rtol=0)


def test_a_torch_without_the_private_names_is_unavailable_with_a_reason(monkeypatch):
    """Checks are then not judged, instead of failing everybody."""
    monkeypatch.delattr("torch.utils._python_dispatch.return_and_correct_aliasing")
    monkeypatch.delitem(sys.modules, "grader.sandbox.pretend_device")

    import grader.sandbox.pretend_device as reloaded

    assert not reloaded.available()
    assert "return_and_correct_aliasing" in reloaded.unavailable_reason()
    monkeypatch.setattr("grader.sandbox.pretend_device", pretend_device)


def test_a_torch_on_which_the_trial_fails_is_unavailable_with_a_reason(monkeypatch):
    """Names that are there but behave otherwise are noticed by trying."""
    monkeypatch.setattr(pretend_device, "_check_devices", lambda *_: None)
    pretend_device.unavailable_reason.cache_clear()

    try:
        assert not pretend_device.available()
        assert "mixed devices are not noticed" in pretend_device.unavailable_reason()
    finally:
        pretend_device.unavailable_reason.cache_clear()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_it_works_in_a_forked_process_with_one_thread():
    """A zygote prepares and has run a backward pass; its children must get gradients without a thread of autograd's."""
    program = """
import os, torch
torch.set_num_threads(1)
from grader.sandbox import pretend_device as device
from grader.sandbox.autograd_forks import survive_forks
if not survive_forks():
    raise SystemExit("gradients survive no fork")
device.prepare()
torch.ones(2, requires_grad=True).sum().backward()
threads = "/proc/self/task"
assert not os.path.isdir(threads) or len(os.listdir(threads)) == 1, os.listdir(threads)
child = os.fork()
if child == 0:
    x = device.to_pretend(torch.ones(3, requires_grad=True))
    with device.PretendDevice():
        (gradient,) = torch.autograd.grad((x * x).sum(), x)
    os._exit(0 if device.to_host(gradient).tolist() == [2.0, 2.0, 2.0] else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    import subprocess

    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )

    if "gradients survive no fork" in finished.stderr:
        pytest.skip(f"gradients survive no fork with torch {torch.__version__} here, so no zygote computes any")
    assert ("0\n", "") == (finished.stdout, finished.stderr)
