"""Compare every submission of a class with every other, after what the exercise explains is taken away."""

import io
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grader.model.classroom import Student
from grader.model.errors import GraderError
from grader.model.extras import install_command
from grader.model.likeness import AlikeGroup, AlikePair, LikenessReport, Passage, Side
from grader.model.submission import SourceFile
from grader.similarity.statements import Statement, read_statements
from grader.similarity.surprise import Surprise

if TYPE_CHECKING:
    from copydetect import CodeFingerprint

GRAM: Final = 8
"""Tokens that must be alike in a row, within one statement; a shorter statement must be alike as a whole."""
MIN_TOKENS: Final = 60
"""Less in common than this can be chance: a solution of five lines has about fifty tokens in all."""
MIN_SHARE: Final = 0.5
"""Of what the exercise does not explain, in one of the two. Independent work reaches a third of that."""
MIN_UNIT_SHARE: Final = 0.8
"""The same of one function or class: of five exercises, one may be alike."""
FEW: Final = 10
"""What more students have is taken for what the exercise asks for, or a fiftieth of a large class."""
MIN_BITS: Final = 12.0
"""So surprising two have to be together in a small class; in a larger one, so that chance gives less than one pair."""
MIN_CHOSEN: Final = 0.75
"""Of the statements of the longer one, with that. Independent work was seen to reach 0.72."""
MAX_PAIRS: Final = 200

_FILL, _END = "\x01", "\x00"
_FIRST_CHARACTER = 0x100
_MAX_CANDIDATES = 5000


class _Prepared(NamedTuple):
    student: Student
    files: tuple[SourceFile, ...]
    statements: list[Statement]
    text: str
    chosen: tuple[int, ...]
    """Places of its statements that the course itself does not have, by what they say; each once."""
    grams: NDArray[np.int64]
    """What the exercise does not explain; each once."""
    tokens: Counter[int]
    """How many tokens those cover, by top-level definition."""


def compare_class(
    submissions: Iterable[tuple[Student, Sequence[SourceFile]]], known: Iterable[SourceFile]
) -> LikenessReport:
    """
    Return the pairs that have much in common which neither the course's own code nor many others have, or which
    chose the same forms throughout where each form is common and the choice of all of them is not.

    Statements are compared as runs of syntax-tree tokens (winnowing with a window of one, so that nothing is skipped;
    Schleimer, Wilkerson and Aiken, "Winnowing", SIGMOD 2003), so new names, another layout, other comments and another
    order of statements change nothing. The fingerprints are copydetect's.

    Time grows with the amount of code, and with the number of students who share a passage: since a passage that more
    than ``max(FEW, students / 50)`` have is put aside, it is O(code * students / 50) at worst.

    Args:
        submissions: Who handed in what; those without any code are counted as left out.
        known: The course's own code: stubs, solutions and every right or wrong implementation that it has.
    """
    encoder = _Encoder()
    course = read_statements(list(known))
    explained = encoder.grams_of(course)
    known_statements = {each.tokens for each in course}
    prepared: list[_Prepared] = []
    left_out: list[str] = []
    for student, files in submissions:
        statements = read_statements(files)
        if not statements:
            left_out.append(f"{student.id}: no code that parses")
            continue
        prepared.append(encoder.prepare(student, tuple(files), statements, explained, known_statements))
    prepared.sort(key=lambda each: each.student.id)
    common_from = max(FEW, len(prepared) // 50)
    few = _held_by_few(prepared, common_from)
    pairs = _alike_pairs(encoder, prepared, few, Surprise([each.chosen for each in prepared]))
    return LikenessReport(
        compared=len(prepared),
        left_out=tuple(left_out),
        common_from=common_from,
        pairs=tuple(pairs[:MAX_PAIRS]),
        pairs_left_out=max(0, len(pairs) - MAX_PAIRS),
        groups=_same_groups(prepared),
    )


class _Encoder:
    """Writes tokens as characters, one each, so that copydetect's grams are grams of tokens."""

    def __init__(self) -> None:
        try:
            import copydetect
        except ImportError:
            raise GraderError(
                f"comparing submissions needs copydetect, which is not installed: {install_command('class')}"
            ) from None
        self.library = copydetect
        self._alphabet: dict[str, str] = {}
        self._said: dict[tuple[str, ...], int] = {}

    def text_of(self, statements: Sequence[Statement]) -> str:
        """Return statements one after another, each at least as long as a gram."""
        return _END.join("".join(map(self._letter, each.tokens)).ljust(GRAM, _FILL) for each in statements)

    def _letter(self, token: str) -> str:
        letter = self._alphabet.get(token)
        if letter is None:
            code = _FIRST_CHARACTER + len(self._alphabet)
            # Half surrogate pairs are no characters that could be hashed as text everywhere.
            letter = self._alphabet[token] = chr(code if code < 0xD800 else code + 0x800)
        return letter

    def fingerprint(self, text: str) -> "CodeFingerprint":
        """Return every gram that lies within one statement, with its places."""
        found = self.library.CodeFingerprint("submission", GRAM, 1, filter=False, fp=io.StringIO(text))
        for gram, places in list(found.hash_idx.items()):
            inside = [place for place in places if _END not in text[place : place + GRAM]]
            if inside:
                found.hash_idx[gram] = inside
            else:
                del found.hash_idx[gram]
        found.hashes = set(found.hash_idx)
        return found

    def grams_of(self, statements: Sequence[Statement]) -> set[int]:
        """Return the grams of these statements."""
        return set(map(int, self.fingerprint(self.text_of(statements)).hashes))

    def prepare(
        self,
        student: Student,
        files: tuple[SourceFile, ...],
        statements: list[Statement],
        explained: set[int],
        known: set[tuple[str, ...]],
    ) -> _Prepared:
        """Return a submission with what the course's own code does not explain."""
        text = self.text_of(statements)
        found = self.fingerprint(text)
        keep_only(found, set(map(int, found.hashes)) - explained)
        grams = np.array(sorted(found.hashes), dtype=np.int64)
        own = {each.tokens for each in statements} - known
        chosen = tuple(sorted(self._said.setdefault(tokens, len(self._said)) for tokens in own))
        return _Prepared(student, files, statements, text, chosen, grams, _covered(found, statements))


def keep_only(fingerprint: "CodeFingerprint", grams: set[int]) -> None:
    """Take all other grams out of a fingerprint."""
    fingerprint.hash_idx = {gram: places for gram, places in fingerprint.hash_idx.items() if int(gram) in grams}
    fingerprint.hashes = set(fingerprint.hash_idx)


def _covered(fingerprint: "CodeFingerprint", statements: Sequence[Statement]) -> Counter[int]:
    """Return how many tokens lie in some gram, by top-level definition."""
    covered: set[int] = set()
    for places in fingerprint.hash_idx.values():
        for place in places:
            covered.update(range(place, place + GRAM))
    starts = _statement_starts(fingerprint.raw_code)
    return Counter(
        statements[bisect_right(starts, place) - 1].unit
        for place in covered
        if fingerprint.raw_code[place] not in (_FILL, _END)
    )


class _Few(NamedTuple):
    """Grams that at least two and at most a few submissions have, and who has each."""

    grams: NDArray[np.int64]
    starts: NDArray[np.int64]
    owners: NDArray[np.int64]


def _held_by_few(prepared: Sequence[_Prepared], common_from: int) -> _Few:
    if not prepared:
        return _Few(*(np.empty(0, dtype=np.int64) for _ in range(3)))
    grams = np.concatenate([each.grams for each in prepared])
    owners = np.repeat(np.arange(len(prepared)), [len(each.grams) for each in prepared])
    order = np.argsort(grams, kind="stable")
    distinct, starts, counts = np.unique(grams[order], return_index=True, return_counts=True)
    kept = (counts >= 2) & (counts <= common_from)
    owners = owners[order]
    held = [owners[start : start + count] for start, count in zip(starts[kept], counts[kept], strict=True)]
    ends = np.concatenate([[0], np.cumsum(counts[kept])])
    return _Few(distinct[kept], ends, np.concatenate(held) if held else np.empty(0, dtype=np.int64))


def _alike_pairs(encoder: _Encoder, prepared: Sequence[_Prepared], few: _Few, surprise: Surprise) -> list[AlikePair]:
    pairs: dict[tuple[int, int], AlikePair] = {}
    for _, left, right in sorted(surprise.pairs(MIN_BITS, MIN_CHOSEN), reverse=True)[:_MAX_CANDIDATES]:
        pair = _compare(encoder, prepared[left], prepared[right], None)
        if pair is not None:
            pairs[left, right] = pair
    for _, left, right in sorted(_candidates(prepared, few), reverse=True)[:_MAX_CANDIDATES]:
        if (left, right) not in pairs:
            pair = _compare(encoder, prepared[left], prepared[right], few)
            if pair is not None:
                pairs[left, right] = pair
    # Much in common counts for more where it is nearly all that somebody wrote.
    weights = {place: round(pair.tokens * max(pair.left.share, pair.right.share), 6) for place, pair in pairs.items()}
    return [pairs[place] for place in sorted(pairs, key=lambda place: (-weights[place], place))]


def _candidates(prepared: Sequence[_Prepared], few: _Few) -> Iterator[tuple[int, int, int]]:
    """Yield how many rare grams two submissions share, where that could be enough, and their places."""
    for place, each in enumerate(prepared):
        where = np.searchsorted(few.grams, each.grams)
        inside = where < len(few.grams)
        where = where[inside][few.grams[where[inside]] == each.grams[inside]]
        if not len(where):
            continue
        others = np.concatenate([few.owners[few.starts[gram] : few.starts[gram + 1]] for gram in where])
        shared = np.bincount(others[others > place], minlength=len(prepared))
        # One gram alone covers GRAM tokens, and each further one at least one more, or another GRAM.
        for other in np.flatnonzero(shared * GRAM >= MIN_TOKENS):
            yield int(shared[other]), place, int(other)


def _compare(encoder: _Encoder, left: _Prepared, right: _Prepared, few: _Few | None) -> AlikePair | None:
    """Return what two have in common: what few others have, too, or all, where choosing it all alike is the point."""
    common_grams = np.intersect1d(left.grams, right.grams, assume_unique=True)
    shared = set(map(int, common_grams if few is None else np.intersect1d(common_grams, few.grams)))
    prints = [encoder.fingerprint(each.text) for each in (left, right)]
    for found in prints:
        keep_only(found, shared)
    common = [_covered(found, each.statements) for found, each in zip(prints, (left, right), strict=True)]
    tokens = min(found.total() for found in common)
    if tokens < MIN_TOKENS:
        return None
    shares = [found.total() / each.tokens.total() for found, each in zip(common, (left, right), strict=True)]
    if few is None:
        if max(shares) < MIN_SHARE:
            return None
    elif max(shares) < MIN_SHARE and not any(map(_is_one_unit_alike, common, (left.tokens, right.tokens))):
        return None
    matches = _match_statements(left, right, prints)
    numbers = {pair: number for number, pair in enumerate(sorted(matches), 1)}
    sides = [
        _side(each, share, [(number, pair[index]) for pair, number in numbers.items()])
        for index, (each, share) in enumerate(zip((left, right), shares, strict=True))
    ]
    return AlikePair(tokens=tokens, left=sides[0], right=sides[1])


def _is_one_unit_alike(common: Counter[int], own: Counter[int]) -> bool:
    return any(tokens >= MIN_TOKENS and tokens >= MIN_UNIT_SHARE * own[unit] for unit, tokens in common.items())


def _match_statements(left: _Prepared, right: _Prepared, prints: Sequence["CodeFingerprint"]) -> set[tuple[int, int]]:
    """Return pairs of statements that are alike, each with the one that it has most in common with."""
    common: dict[int, Counter[int]] = defaultdict(Counter)
    starts = [_statement_starts(each.text) for each in (left, right)]
    for gram, places in prints[0].hash_idx.items():
        ours = {bisect_right(starts[0], place) - 1 for place in places}
        theirs = {bisect_right(starts[1], place) - 1 for place in prints[1].hash_idx[gram]}
        for our in ours:
            common[our].update(theirs)
    return {(our, max(found, key=lambda their: (found[their], -their))) for our, found in common.items()}


def _statement_starts(text: str) -> list[int]:
    return [0, *(place + 1 for place, letter in enumerate(text) if letter == _END)]


def _side(each: _Prepared, share: float, numbered: Iterable[tuple[int, int]]) -> Side:
    passages = tuple(
        Passage(
            number=number,
            file=each.files[each.statements[place].file].path,
            first_line=each.statements[place].first_line,
            last_line=each.statements[place].last_line,
        )
        for number, place in numbered
    )
    used = {passage.file for passage in passages}
    return Side(
        student=each.student,
        files=tuple(file for file in each.files if file.path in used),
        passages=passages,
        tokens=each.tokens.total(),
        share=share,
    )


def _same_groups(prepared: Sequence[_Prepared]) -> tuple[AlikeGroup, ...]:
    """Return who handed in the same, however many: what a whole ring shares is not rare any more."""
    by_grams: dict[bytes, list[_Prepared]] = defaultdict(list)
    for each in prepared:
        if each.tokens.total() >= MIN_TOKENS:
            by_grams[each.grams.tobytes()].append(each)
    groups = [
        AlikeGroup(students=tuple(each.student for each in same), tokens=same[0].tokens.total())
        for same in by_grams.values()
        if len(same) > 1
    ]
    return tuple(sorted(groups, key=lambda group: (-len(group.students), -group.tokens, group.students[0].id)))
