"""Sparse LDLᵀ and LDU without pivoting against dense linear algebra."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.linalg import ldl, ordering, pattern

GROUND = 10**6
SEED = st.integers(0, 2**32 - 1)


class Problem(NamedTuple):
    """A matrix as cliques, and how it is numbered."""

    size: int
    cliques: list[np.ndarray]
    values: list[np.ndarray]
    multiplier: np.ndarray
    blocks: np.ndarray

    def dense(self) -> np.ndarray:
        """Sum of all cliques, by hand."""
        matrix = np.zeros((self.size, self.size))
        for clique, values in zip(self.cliques, self.values, strict=True):
            for unknowns, value in zip(clique, values, strict=True):
                kept = unknowns < self.size
                matrix[np.ix_(unknowns[kept], unknowns[kept])] += value[np.ix_(kept, kept)]
        return matrix

    def assembled(self) -> tuple[ldl.Pattern, np.ndarray]:
        """Return pattern and storage."""
        pattern = ldl.analyse(self.size, self.cliques, self.multiplier, self.blocks)
        s = np.zeros(pattern.storage)
        for clique, values in zip(self.cliques, self.values, strict=True):
            i, j = np.tril_indices(clique.shape[1])
            np.add.at(s, ldl.slots(pattern, clique[:, i], clique[:, j]), values[:, i, j])
        return pattern, s


def full(matrix: np.ndarray, multipliers: int = 0, block: int = 1) -> Problem:
    """Return one clique of everything; the last unknowns are multipliers."""
    n = len(matrix)
    multiplier = np.arange(n) >= n - multipliers
    blocks = np.where(multiplier, n + np.arange(n), np.arange(n) // block)
    blocks = np.unique(blocks, return_inverse=True)[1]
    return Problem(n, [np.arange(n)[None]], [matrix[None]], multiplier, blocks)


def definite(rng: np.random.Generator, count: int, n: int) -> np.ndarray:
    """Return random positive definite matrices."""
    root = rng.standard_normal((count, n, n))
    return root @ root.transpose(0, 2, 1) + 0.1 * np.eye(n)


def elastic(rng: np.random.Generator, count: int, mass: float) -> np.ndarray:
    """Return an element like 2-node beams: three strains, stiff in two of them, and some mass."""
    strain = rng.standard_normal((count, 3, 6))
    return strain.transpose(0, 2, 1) @ (np.array([4e4, 1e4, 1.0])[:, None] * strain) + mass * np.eye(6)


def legs(
    rng: np.random.Generator, number: int, elements: int, *, rows: int = 2, gamma: float = 0.0, mass: float = 1.0
) -> Problem:
    """Build beams from ground to a platform without stiffness, jointed at both ends: number - 1 closed loops."""
    nodes = 3 * np.arange(number * (elements + 1)).reshape(number, -1, 1) + np.arange(3)
    platform = nodes.size + np.arange(3)
    freedoms = nodes.size + 3
    joints = freedoms + np.arange(2 * number * rows).reshape(number, 2, rows)
    beams = np.concatenate([nodes[:, :-1], nodes[:, 1:]], axis=2).reshape(-1, 6)
    low = np.concatenate([nodes[:, 0], np.full((number, 3), GROUND), joints[:, 0]], axis=1)
    high = np.concatenate([nodes[:, -1], np.tile(platform, (number, 1)), joints[:, 1]], axis=1)
    ties = np.concatenate([low, high])
    g = np.concatenate([np.eye(3)[:rows], -np.eye(3)[:rows]], axis=1) + 0.3 * rng.standard_normal((len(ties), rows, 6))
    tie = np.zeros((len(ties), 6 + rows, 6 + rows))
    tie[:, 6:, :6], tie[:, :6, 6:] = g, g.transpose(0, 2, 1)
    tie[:, :6, :6] = gamma * g.transpose(0, 2, 1) @ g
    size = freedoms + joints.size
    blocks = np.concatenate([np.arange(freedoms) // 3, freedoms // 3 + np.arange(joints.size) // rows])
    body = mass * np.eye(3)[None]
    values = [elastic(rng, len(beams), mass), tie, body]
    return Problem(size, [beams, ties, platform[None]], values, np.arange(size) >= freedoms, blocks)


def solved(problem: Problem, b: np.ndarray) -> tuple[int, int, int, np.ndarray]:
    """Return status, negative eigenvalues, repairs and solution."""
    pattern, s = problem.assembled()
    work = ldl.workspace(pattern)
    status, negatives = ldl.factor(pattern, s, work)
    x = b.copy()
    if status == ldl.OK:
        ldl.solve(pattern, s, work, x)
    return status, negatives, int(work.repairs[0]), x


def assert_solves(problem: Problem, rng: np.random.Generator, *, repairs: int | None = 0, error: float = 1e-13) -> None:
    """Check that the residual of a solution is small beside its terms, and the inertia is right."""
    matrix, b = problem.dense(), rng.standard_normal(problem.size)
    status, negatives, repaired, x = solved(problem, b)
    assert status == ldl.OK
    assert repairs is None or repaired == repairs
    assert np.max(np.abs(matrix @ x - b)) <= error * np.max(np.abs(matrix) @ np.abs(x) + np.abs(b))
    assert negatives == np.count_nonzero(np.linalg.eigvalsh(matrix) < 0.0)


@given(seed=SEED, size=st.integers(1, 30), block=st.integers(1, 7))
def test_random_definite_matrices(seed: int, size: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    width = min(int(rng.integers(1, 5)), size)
    ground = 2
    cliques = np.array([rng.choice(size + ground, width, replace=False) for _ in range(size)])
    problem = Problem(
        size,
        [cliques, np.arange(size)[:, None]],
        [definite(rng, size, width), np.ones((size, 1, 1))],
        np.zeros(size, bool),
        rng.permutation(size) // block if seed % 2 else np.arange(size) // block,
    )
    assert_solves(problem, rng)


@pytest.mark.parametrize("elements", [1, 2, 50])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_open_chain(rng: np.random.Generator, elements: int, rows: int) -> None:
    assert_solves(legs(rng, 1, elements, rows=rows), rng)


@pytest.mark.parametrize("number", [2, 3, 7, 24])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_closed_loops(rng: np.random.Generator, number: int, rows: int) -> None:
    assert_solves(legs(rng, number, 5, rows=rows), rng)


@pytest.mark.parametrize("number", [3, 6, 24])
@pytest.mark.parametrize("gamma", [1e2, 1e5, 1e8])
def test_parts_without_stiffness_with_augmented_term(rng: np.random.Generator, number: int, gamma: float) -> None:
    assert_solves(legs(rng, number, 4, gamma=gamma, mass=0.0), rng, error=1e-12)


def test_parts_without_stiffness_are_repaired(rng: np.random.Generator) -> None:
    assert_solves(legs(rng, 3, 4, mass=0.0), rng, repairs=None, error=1e-10)


@given(seed=SEED, size=st.integers(2, 14), block=st.integers(1, 4))
def test_inertia_of_indefinite_matrices(seed: int, size: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((size, size))
    assert_solves(full(matrix + matrix.T, block=block), rng, repairs=None, error=1e-8)


@given(seed=SEED, size=st.integers(2, 14), zeros=st.integers(1, 12), block=st.sampled_from([1, 3]))
def test_zero_pivots_are_repaired(seed: int, size: int, zeros: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((size, size))
    matrix += matrix.T
    matrix[np.diag_indices(min(zeros, size))] = 0.0  # the first pivot, and others after it, vanish
    assert_solves(full(matrix, block=block), rng, repairs=None, error=1e-8)


@given(seed=SEED, size=st.integers(3, 14), at=st.integers(1, 12), block=st.sampled_from([1, 3]))
def test_pivots_lost_to_rounding_are_repaired(seed: int, size: int, at: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    at = min(at, size - 2)
    matrix = rng.standard_normal((size, size))
    matrix[: at + 1, : at + 1] = definite(rng, 1, at + 1)[0]
    matrix = 0.5 * (matrix + matrix.T)
    side = matrix[at, :at]
    matrix[at, at] = side @ np.linalg.solve(matrix[:at, :at], side)  # the leading minor of order at + 1 is zero
    problem = full(matrix, block=block)
    assert_solves(problem, rng, repairs=None, error=1e-8)
    assert solved(problem, np.ones(size))[2] >= 1


def test_repair_suits_any_units(rng: np.random.Generator) -> None:
    for unit in (1e-8, 1.0, 1e8):
        matrix = np.array([[0.0, 1.0, 0.0], [1.0, 1e8, 2e7], [0.0, 2e7, 1e8]])
        scale = np.diag([unit, 1.0, 1.0])
        assert_solves(full(scale @ matrix @ scale), rng, repairs=1, error=1e-12)


@pytest.mark.parametrize("unit", [1e-60, 1e-20, 1.0, 1e60])
def test_panels_of_three_suit_any_units_and_keep_what_cancels(rng: np.random.Generator, unit: float) -> None:
    for grade in (1.0, 1e-4, 1e-8):
        for _ in range(20):
            scale = np.diag(grade ** rng.uniform(0.0, 1.0, 9))
            stiff = definite(rng, 1, 9)[0]
            stiff[:3, :3] += 1e6  # in one direction: in the others most of the first panel cancels
            matrix = scale @ stiff @ scale
            dense, b = matrix * unit, scale @ rng.standard_normal(9)
            status, negatives, repaired, x = solved(full(dense, block=3), unit * b)
            assert (status, negatives, repaired) == (ldl.OK, 0, 0)
            assert np.all(np.abs(matrix @ x - b) <= 1e-13 * (np.abs(matrix) @ np.abs(x) + np.abs(b)))


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1.0])
def test_compliant_multipliers(rng: np.random.Generator, epsilon: float) -> None:
    problem = legs(rng, 4, 3)
    rows = np.flatnonzero(problem.multiplier)[:, None]
    cliques, values = [*problem.cliques, rows], [*problem.values, np.full((len(rows), 1, 1), -epsilon)]
    assert_solves(problem._replace(cliques=cliques, values=values), rng)


@pytest.mark.parametrize("rows", [2, 3])
def test_redundant_joint_is_singular_and_found(rng: np.random.Generator, rows: int) -> None:
    problem = legs(rng, 3, 3, rows=rows)
    last = problem.size - rows + np.arange(rows)
    ties, tie = problem.cliques[1][-1:].copy(), problem.values[1][-1:]
    ties[:, 6:] += rows  # the last joint once more
    problem = Problem(
        problem.size + rows,
        [*problem.cliques, ties],
        [*problem.values, tie],
        np.append(problem.multiplier, np.ones(rows, bool)),
        np.append(problem.blocks, np.full(rows, problem.blocks.max() + 1)),
    )
    pattern, s = problem.assembled()
    work = ldl.workspace(pattern)
    assert ldl.factor(pattern, s, work)[0] == ldl.SINGULAR
    direction = ldl.null_direction(work)
    np.testing.assert_allclose(direction[last], -direction[last + rows], atol=1e-9)
    assert np.max(np.abs(problem.dense() @ direction)) < 1e-9
    assert np.max(np.abs(direction)) == 1.0


def test_free_part_is_singular_and_found(rng: np.random.Generator) -> None:
    problem = legs(rng, 2, 3, mass=0.0)  # four bars: one free motion
    pattern, s = problem.assembled()
    work = ldl.workspace(pattern)
    assert ldl.factor(pattern, s, work)[0] == ldl.SINGULAR
    residual = problem.dense() @ ldl.null_direction(work)
    assert np.max(np.abs(residual)) < 1e-9 * np.max(np.abs(problem.dense()))


@pytest.mark.parametrize("matrix", [np.zeros((1, 1)), np.zeros((4, 4)), np.ones((3, 3)), np.diag([1.0, 0.0, 2.0])])
@pytest.mark.parametrize("block", [1, 3])
def test_singular_matrices(matrix: np.ndarray, block: int) -> None:
    assert solved(full(matrix, block=block), np.ones(len(matrix)))[0] == ldl.SINGULAR


def test_too_many_weak_pivots_ask_for_another_solver() -> None:
    matrix = np.kron(np.array([[0.0, 1.0], [1.0, 0.0]]), np.eye(13))
    assert solved(full(matrix, 13), np.ones(26))[0] == ldl.UNSAFE


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(("i", "j"), [(0, 0), (1, 0), (5, 0), (5, 5), (7, 7)])
@pytest.mark.parametrize("block", [1, 3])
def test_values_that_are_not_finite(rng: np.random.Generator, bad: float, i: int, j: int, block: int) -> None:
    pattern, s = full(definite(rng, 1, 8)[0], block=block).assembled()
    s[ldl.slots(pattern, i, j)] = bad
    work = ldl.workspace(pattern)
    with np.errstate(all="ignore"):
        assert ldl.factor(pattern, s.copy(), work)[0] == ldl.NOT_FINITE
        assert ldl.factor_lu(pattern, s.copy(), np.zeros_like(s), work) == ldl.NOT_FINITE


@pytest.mark.parametrize("value", [2.0, -1e-300, 1e300])
def test_one_unknown(value: float) -> None:
    status, negatives, repairs, x = solved(full(np.array([[value]])), np.array([3.0]))
    assert (status, negatives, repairs) == (ldl.OK, int(value < 0.0), 0)
    assert x[0] == pytest.approx(3.0 / value)


@given(seed=SEED, number=st.integers(1, 5), rows=st.integers(1, 3))
def test_unsymmetric_matrices(seed: int, number: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    problem = legs(rng, number, 3, rows=rows)
    pattern, s = problem.assembled()
    w = np.zeros_like(s)
    skew = np.zeros((problem.size, problem.size))
    for clique in problem.cliques[0]:
        value = 0.2 * rng.standard_normal((6, 6))
        i, j = np.tril_indices(6, -1)
        np.add.at(w, ldl.slots(pattern, clique[i], clique[j]), value[i, j])
        skew[clique[i], clique[j]] += value[i, j]
    matrix = problem.dense() + skew - skew.T
    np.testing.assert_allclose(ldl.to_csc(pattern, s, w).toarray(), matrix, rtol=1e-12, atol=1e-9)
    b = rng.standard_normal(problem.size)
    x = b.copy()
    work = ldl.workspace(pattern)
    assert ldl.solve_once(pattern, s, w, work, x, True)
    assert np.max(np.abs(matrix @ x - b)) <= 1e-12 * np.max(np.abs(matrix) @ np.abs(x))


def test_unsymmetric_weak_pivot_is_reported() -> None:
    pattern, s = full(np.array([[0.0, 1.0], [1.0, 0.0]])).assembled()
    work = ldl.workspace(pattern)
    assert ldl.factor_lu(pattern, s, np.zeros_like(s), work) == ldl.UNSAFE


def test_solve_once(rng: np.random.Generator) -> None:
    problem = legs(rng, 3, 3)
    pattern, s = problem.assembled()
    x = np.ones(problem.size)
    assert ldl.solve_once(pattern, s, np.zeros_like(s), ldl.workspace(pattern), x, False)
    np.testing.assert_allclose(problem.dense() @ x, 1.0, atol=1e-9)
    assert not ldl.solve_once(pattern, np.zeros_like(s), np.zeros_like(s), ldl.workspace(pattern), x, False)


def test_slots(rng: np.random.Generator) -> None:
    problem = legs(rng, 2, 2)
    pattern, s = problem.assembled()
    i, j = np.nonzero(problem.dense())
    found = ldl.slots(pattern, i, j)
    assert found.dtype == np.uint32
    np.testing.assert_array_equal(found, ldl.slots(pattern, j, i))
    np.testing.assert_allclose(s[found], problem.dense()[i, j])
    unknowns = np.arange(problem.size)
    np.testing.assert_array_equal(ldl.slots(pattern, unknowns, unknowns), unknowns)
    dump = pattern.storage - 1
    assert dump == s.size - 1
    ground = np.array([problem.size, GROUND])
    assert set(ldl.slots(pattern, ground[:, None], unknowns).ravel()) == {dump}
    assert set(ldl.slots(pattern, ground, ground)) == {dump}
    with pytest.raises(ValueError, match=r"unknowns 0 and 9 are in no common clique"):
        ldl.slots(pattern, [0, 0], [1, 9])


def test_ground_leaves_no_trace(rng: np.random.Generator) -> None:
    problem = legs(rng, 3, 2)
    pattern, s = problem.assembled()
    s[-1] = np.nan
    work = ldl.workspace(pattern)
    x = np.ones(problem.size)
    assert ldl.factor(pattern, s, work) == (ldl.OK, int(problem.multiplier.sum()))
    ldl.solve(pattern, s, work, x)
    np.testing.assert_allclose(problem.dense() @ x, 1.0, atol=1e-9)


def test_multipliers_follow_what_they_tie() -> None:
    """A ring of links, two joints each: no joint is alone at a link, and each follows both of its links."""
    count = 7
    links = 3 * np.arange(count)[:, None] + np.arange(3)
    joints = 3 * count + 2 * np.arange(count)[:, None] + np.arange(2)
    ties = np.concatenate([links, np.roll(links, 1, axis=0), joints], axis=1)
    multiplier = np.arange(5 * count) >= 3 * count
    blocks = np.concatenate([np.repeat(np.arange(count), 3), np.repeat(count + np.arange(count), 2)])
    pattern = ldl.analyse(5 * count, [ties], multiplier, blocks)
    for tie in ties:
        assert pattern.place[tie[6:]].min() > pattern.place[tie[:6]].max()
    np.testing.assert_array_equal(pattern.place[pattern.order], np.arange(5 * count))


def test_joint_alone_at_a_node_follows_that_node_only(rng: np.random.Generator) -> None:
    """Legs are eliminated with their joints, the platform comes last, and cost grows in proportion to the legs."""
    problem = legs(rng, 5, 4, rows=3)
    pattern, _ = problem.assembled()
    for tie in problem.cliques[1]:
        assert pattern.place[tie[6:]].min() > pattern.place[tie[:3]].max()
    freedoms = int(np.sum(~problem.multiplier))
    assert set(pattern.order[-3:].tolist()) == set(range(freedoms - 3, freedoms))
    sizes = [legs(rng, number, 4, rows=3).assembled()[0] for number in (6, 12, 24)]
    for work in ([p.targets.size for p in sizes], [p.storage for p in sizes]):
        assert work[2] - work[1] == 2 * (work[1] - work[0])


def test_chain_has_no_fill_and_large_ones_are_quick(rng: np.random.Generator) -> None:
    problem = legs(rng, 1, 10_000)
    pattern, _ = problem.assembled()
    nodes = 10_001
    assert pattern.row.size <= 12 * nodes + 100
    assert pattern.targets.size <= 3 * nodes + 100


def test_pattern_is_always_the_same(rng: np.random.Generator) -> None:
    problem = legs(rng, 6, 4)
    one, other = problem.assembled()[0], problem.assembled()[0]
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).flags.c_contiguous


@pytest.mark.parametrize(
    ("multiplier", "blocks", "message"),
    [
        ([False, True], [0, 0], r"block 0 holds unknowns \[0, 1\]"),
        ([False, False], [0, 2], r"block 1 holds unknowns \[\]"),
        ([False], [0, 1], r"2 unknowns, but 1 multiplier flags and 2 block numbers"),
    ],
)
def test_wrong_blocks_are_refused(multiplier: list[bool], blocks: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ldl.analyse(2, [np.array([[0, 1]])], np.array(multiplier), np.array(blocks))


def test_runs_without_compiler() -> None:
    program = """
import numpy as np
from pliant.linalg import ldl, ordering, pattern
pattern = ldl.analyse(5, [np.array([[0, 1, 2, 3, 4]])], np.arange(5) > 3, np.array([0, 0, 0, 1, 2]))
matrix = np.array([[0, 1, 0, 0, 1], [1, 3, 1, 0, 2], [0, 1, 3, 1, 0], [0, 0, 1, 3, 1], [1, 2, 0, 1, 0.0]])
for unsymmetric in (False, True):
    matrix[0, 0] = unsymmetric
    s, w, work, x = np.zeros(pattern.storage), np.zeros(pattern.storage), ldl.workspace(pattern), np.ones(5)
    i, j = np.tril_indices(5)
    s[ldl.slots(pattern, i, j)] = matrix[i, j]
    assert ldl.solve_once(pattern, s, w, work, x, unsymmetric)
    np.testing.assert_allclose(matrix @ x, 1.0)
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "error::RuntimeWarning", "-c", program], check=True, env=environment)


@pytest.mark.parametrize("unsymmetric", [False, True])
def test_a_border_stands_for_what_it_leaves(rng: np.random.Generator, unsymmetric: bool) -> None:
    """``[A B; C D]`` is solved, counted and read as ``A - B D^-1 C``; an empty border has no effect."""
    problem = legs(rng, 3, 4)
    n, freedoms, borders = problem.size, int(np.sum(~problem.multiplier)), 3
    size = n + borders
    b, c = rng.standard_normal((2, freedoms, 2))
    c = c if unsymmetric else b
    d = np.array([-1.0, 1.0])
    chain = np.concatenate([np.arange(freedoms), n + np.arange(borders)])[None]
    blocks = np.append(problem.blocks, problem.blocks.max() + 1 + np.arange(borders))
    cliques = [*(np.where(each < n, each, size) for each in problem.cliques), chain]
    pattern = ldl.analyse(size, cliques, np.append(problem.multiplier, np.zeros(borders, bool)), blocks, borders)
    s, w = np.zeros((2, pattern.storage))
    for clique, values in zip(cliques, problem.values, strict=False):
        i, j = np.tril_indices(clique.shape[1])
        np.add.at(s, ldl.slots(pattern, clique[:, i], clique[:, j]), values[:, i, j])
    for k in range(2):
        places = ldl.slots(pattern, np.full(freedoms, n + k), np.arange(freedoms))
        s[places], w[places], s[n + k] = 0.5 * (b[:, k] + c[:, k]), 0.5 * (c[:, k] - b[:, k]), d[k]
    matrix = problem.dense()
    matrix[:freedoms, :freedoms] -= b @ (c / d).T
    read = ldl.to_csc(pattern, s, w)
    np.testing.assert_allclose(read.toarray(), matrix, atol=1e-12 * np.max(np.abs(matrix)))
    np.testing.assert_allclose(ldl.to_csc(pattern, s, w, freedoms).toarray(), matrix[:freedoms, :freedoms], atol=1e-9)
    work, right = ldl.workspace(pattern), rng.standard_normal(n)
    x = right.copy()
    if not unsymmetric:
        assert ldl.factor(pattern, s.copy(), work) == (ldl.OK, int(np.sum(np.linalg.eigvalsh(matrix) < 0.0)))
    assert ldl.solve_once(pattern, s, w, work, x, unsymmetric)
    np.testing.assert_allclose(matrix @ x, right, atol=1e-9 * np.max(np.abs(matrix) @ np.abs(x)))


@given(SEED)
def test_the_order_is_the_same_compiled_and_in_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = legs(rng, int(rng.integers(1, 5)), int(rng.integers(1, 6)))
    count = int(problem.blocks.max()) + 1
    starts, neighbours = pattern._neighbours(problem.size, problem.cliques, problem.blocks, count)
    sizes = np.bincount(problem.blocks)
    graph = ordering.Graph(starts, neighbours, sizes, np.bincount(problem.blocks, problem.multiplier) > 0)
    ways = []
    for many in (0, count):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ordering, "MANY", many)
            found = ordering.eliminate(graph)
        ways.append([found.fronts[k : k + n].tolist() for k, n in zip(found.first, found.length, strict=True)])
        ways[-1].append(found.sequence.tolist())
    assert ways[0] == ways[1]
    coupled = np.zeros((count, count), bool)  # eliminated one by one, as a dense matrix
    coupled[np.repeat(np.arange(count), np.diff(starts)), neighbours] = True
    for block in ways[0][-1]:
        front = np.flatnonzero(coupled[block])
        assert ways[0][block] == front.tolist()
        coupled[np.ix_(front, front)] = True
        coupled[block] = coupled[:, block] = False
        coupled[front, front] = False
