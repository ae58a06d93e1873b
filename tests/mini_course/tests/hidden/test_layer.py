"""Hidden suite: layer"""

from grader.suite import expect_close


def test_doubles_and_shifts(learner, draw):
    """Layer(size)(x) is 2 * x + shift."""
    size = draw.sizes("batch", "size")
    layer = learner.Layer(size.size)
    shift = draw.normal(size.size)
    layer.load({"shift": shift})
    x = draw.normal(size.batch, size.size)
    expect_close(layer.eval()(x), 2 * x + shift, "Layer(size)(x)", ("batch", "size"), atol=1e-6)
