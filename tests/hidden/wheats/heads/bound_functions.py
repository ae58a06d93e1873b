"""Names bound to objects with __call__ rather than def, with other parameter names and inverse permutes."""


class _Cut:
    def __call__(self, hidden, h):
        if hidden.shape[-1] % h:
            raise ValueError("h does not divide the width")
        return hidden.view(*hidden.shape[:-1], h, hidden.shape[-1] // h).movedim(-2, 1)


class _Join:
    def __call__(self, heads):
        moved = heads.movedim(1, -2)
        return moved.reshape(*moved.shape[:-2], -1)


split_heads = _Cut()
merge_heads = _Join()
