"""
Exercise: complexity

Why did attention replace recurrence, and why does everybody now try to make attention cheaper? Both answers are
counting. In this exercise you predict, with formulas, what a self-attention, a recurrent and a convolutional layer cost
for n tokens of d features. Afterwards real layers are built, their operations counted, and both numbers shown.

Four things are counted, as in the table of Vaswani et al. (2017), section 4:

- Operations: how much there is to compute. Attention compares each of n tokens with each of n tokens, so its cost has
  n², but each comparison costs only d. A recurrent layer multiplies d × d matrices, but only n times. So attention is
  the cheaper one as long as n < d, which was true of sentences, and is not of books.
- Sequential steps: what has to wait for what. A GPU computes all of attention at once; step t of a recurrent layer
  needs the result of step t - 1.
- The longest path: how many steps lie between the first token and the last output. The fewer there are, the easier it
  is to learn that they have to do with each other.
- Memory: every head keeps n × n weights for the backward pass. This n² is what hurts first, and why there are kernels
  that never write the weights down.

Where this sits in the whole: the layers are those of the earlier exercises. What you count explains why a model has the
size it has: more heads cost no operations but memory, a doubled context costs four times the attention.

Conventions of this exercise. They make each answer one whole number, and every function returns a Python int:

- n = seq_len, d = d_model, k = kernel_size. One sentence, so no batch. Inputs and outputs of every layer have d
  features. All arguments are whole numbers; n and k are at least 2.
- An operation is one multiplication together with one addition, as in a sum of products. (Tools that count "FLOPs"
  count these as two. The suite divides by two before it compares.) So a product of an a × b with a b × c matrix takes
  a · b · c operations. Scale, softmax, tanh, masks and biases are small beside that and are not counted.
- The recurrent layer is the plain one, state ← tanh(W · input + U · state), with W and U of size d × d.
- The convolution has d channels in and d out, and gives n outputs, each of which sees k inputs. Places outside the
  sentence are filled with zeros and are multiplied like all others.

Worked example: n = 3 tokens, d = 2, k = 2::

    attention    query · keyᵀ is (3 × 2)(2 × 3): 18; weights · values is (3 × 3)(3 × 2): 18         36 operations
    projections  W_q, W_k, W_v and W_o, each (3 × 2)(2 × 2) = 12                                    48 operations
    recurrent    3 steps with two products (2 × 2)(2 × 1)                                           24 operations
    convolution  3 outputs of 2 channels, each a sum over 2 places and 2 channels                   24 operations
    steps        attention 1, recurrent 3, convolution 1
    path         attention 1, recurrent 3, convolution 2 layers, dilated convolution 2 layers
    memory       one head has 3 × 3 weights; of 4 bytes each they take                              36 bytes
    crossing     attention costs no more than the recurrent layer for up to 2 tokens, and no more than its own
                 projections for up to 4

Source: Vaswani et al. (2017, arXiv:1706.03762), section 4 and table 1.
"""


def attention_operations(seq_len: int, d_model: int) -> int:
    """
    Count the operations of self-attention without its projections.

    These are the scores, query · keyᵀ, and the weighted sum, weights · values. Cutting both into heads changes nothing:
    h heads of d / h features take as many operations as one of d.

    Args:
        seq_len: Number of tokens, n.
        d_model: Features of each token, d.

    Returns:
        The number of operations, an int.

    Source: Vaswani et al. (2017), table 1, "Complexity per Layer", self-attention.
    """
    # TODO: two matrix products.
    raise NotImplementedError("attention_operations is still to be written")


def projection_operations(seq_len: int, d_model: int) -> int:
    """
    Count the operations of the four linear layers around multi-head attention: W_q, W_k, W_v and W_o.

    Args:
        seq_len: Number of tokens, n.
        d_model: Features of each token, d; each layer is d × d.

    Returns:
        The number of operations, an int. Table 1 leaves them out; they are most of the cost of short sentences.

    Source: Vaswani et al. (2017), section 3.2.2.
    """
    # TODO: four products of all tokens with a matrix.
    raise NotImplementedError("projection_operations is still to be written")


def recurrent_operations(seq_len: int, d_model: int) -> int:
    """
    Count the operations of the plain recurrent layer, state ← tanh(W · input + U · state), over a sentence.

    Args:
        seq_len: Number of tokens, n.
        d_model: Size of input and state, d.

    Returns:
        The number of operations, an int.

    Source: Vaswani et al. (2017), table 1, "Complexity per Layer", recurrent.
    """
    # TODO: what one step costs, times the number of steps.
    raise NotImplementedError("recurrent_operations is still to be written")


def convolution_operations(seq_len: int, d_model: int, kernel_size: int) -> int:
    """
    Count the operations of a convolution with d channels in, d channels out and n outputs.

    Args:
        seq_len: Number of tokens and of outputs, n.
        d_model: Channels, d.
        kernel_size: Inputs that each output sees, k.

    Returns:
        The number of operations, an int.

    Source: Vaswani et al. (2017), table 1, "Complexity per Layer", convolutional.
    """
    # TODO: what one output costs, times the number of outputs.
    raise NotImplementedError("convolution_operations is still to be written")


def sequential_steps(layer: str, seq_len: int) -> int:
    """
    Say how many steps of one layer have to wait for each other, on a machine that computes as much as you like at once.

    A whole attention, and a whole convolution, is one step here, because no output of it needs another one.

    Args:
        layer: ``"attention"``, ``"recurrent"`` or ``"convolution"``.
        seq_len: Number of tokens, n.

    Returns:
        The number of steps, an int.

    Raises:
        Any exception if the layer is none of these.

    Source: Vaswani et al. (2017), table 1, "Sequential Operations".
    """
    # TODO: which of the three has to compute one token after the other?
    raise NotImplementedError("sequential_steps is still to be written")


def longest_path(layer: str, seq_len: int, kernel_size: int) -> int:
    """
    Say how many steps or layers lie between the first token and the last output.

    - ``"attention"``: one layer.
    - ``"recurrent"``: one layer; the first token passes through every step, the first and the last one included.
    - ``"convolution"``: a stack of layers. Each output sees the k outputs of the layer below that end at its own place:
      its own, and the k - 1 just before it.
    - ``"dilated"``: the same with gaps that grow. In the first layer the k places are neighbours, in the second they
      are k apart, in the third k², and so on. (The last output of two layers sees k² inputs, then.)

    Args:
        layer: One of the four.
        seq_len: Number of tokens, n, 2 or more.
        kernel_size: k, 2 or more. Attention and recurrence have no use for it.

    Returns:
        An int: for attention the number of layers, for recurrence the number of steps, for convolutions the smallest
        number of layers for which the last output sees the first token.

    Raises:
        Any exception if the layer is none of these.

    Source: Vaswani et al. (2017), section 4 and table 1, "Maximum Path Length".
    """
    # TODO: how many inputs does the last output see after one layer, after two? Count in whole numbers: a logarithm is
    # rounded.
    raise NotImplementedError("longest_path is still to be written")


def attention_memory(seq_len: int, num_heads: int, bytes_per_number: int) -> int:
    """
    Say how many bytes the attention weights of one layer and one sentence take.

    Args:
        seq_len: Number of tokens, n.
        num_heads: Each head has weights of its own.
        bytes_per_number: 4 in float32, 2 in half precision.

    Returns:
        The number of bytes, an int.
    """
    # TODO: how many numbers does one head keep?
    raise NotImplementedError("attention_memory is still to be written")


def crossing_length(other: str, d_model: int, kernel_size: int) -> int:
    """
    Say how long a sentence may be before attention gets more expensive than something else.

    Args:
        other: What attention_operations is compared with: ``"recurrent"``, ``"convolution"`` or ``"projections"``.
        d_model: Features, d.
        kernel_size: k of the convolution; the other two have no use for it.

    Returns:
        The largest seq_len, an int, for which attention (without projections) takes no more operations than the other.

    Raises:
        Any exception if the other is none of these.

    Source: Vaswani et al. (2017), section 4: attention is faster than recurrence where n is smaller than d.
    """
    # TODO: write both counts down as formulas, set them equal, and solve for n.
    raise NotImplementedError("crossing_length is still to be written")
