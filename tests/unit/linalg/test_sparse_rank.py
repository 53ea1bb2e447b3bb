"""Rows that depend on each other: by taking away those that cannot, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

import pliant as pl
from pliant.linalg import eigen
from pliant.linalg.sparse_rank import Entries, in_loops, independent, motions
from pliant.system.assembly import dependent_rows as dependence


def chains(generator: np.random.Generator, *, loops: int, copies: int) -> sparse.csr_array:
    """Return rows between nodes of three freedoms: a chain, some loops, and rows that are sums of others."""
    nodes = 12
    ties = [(k, k + 1) for k in range(nodes - 1)]
    ties += [tuple(generator.choice(nodes, 2, replace=False)) for _ in range(loops)]
    matrix = np.zeros((2 * len(ties), 3 * nodes))
    for number, (a, b) in enumerate(ties):
        for node in (a, b):
            matrix[2 * number : 2 * number + 2, 3 * node : 3 * node + 3] = generator.standard_normal((2, 3))
    more = generator.standard_normal((copies, 3)) @ matrix[generator.choice(len(matrix), 3, replace=False)]
    return sparse.csr_array(np.vstack([matrix, more]))


@pytest.mark.parametrize("seed", range(20))
def test_independent_rows_are_as_many_as_the_rank(seed: int) -> None:
    generator = np.random.default_rng(seed)
    matrix = chains(generator, loops=seed % 5, copies=seed % 4)
    rows = independent(matrix)
    rank = np.linalg.matrix_rank(matrix.toarray(), tol=1e-9)
    assert rows.size == rank == np.linalg.matrix_rank(matrix.toarray()[rows], tol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_no_dependence_has_a_share_in_a_row_outside_of_loops(seed: int) -> None:
    matrix = chains(np.random.default_rng(seed), loops=3, copies=1 + seed % 3).toarray()
    left = in_loops(sparse.csr_array(matrix))
    vectors, values, _ = np.linalg.svd(matrix)
    null = vectors[:, np.sum(values > 1e-9 * values[0]) :]
    assert null.shape[1]
    assert np.max(np.abs(null[~left]), initial=0.0) < 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_motions_are_all_that_rows_allow(seed: int) -> None:
    matrix = chains(np.random.default_rng(seed), loops=seed % 3, copies=0)
    found = motions(matrix)
    assert (found is None) >= in_loops(matrix).any()
    if found is not None:
        motion = found.toarray()
        assert np.max(np.abs(matrix @ motion)) < 1e-13
        assert np.linalg.matrix_rank(motion) == motion.shape[1] == matrix.shape[1] - matrix.shape[0]


def test_motions_of_copied_rows_and_of_far_reaching_ones_are_none() -> None:
    """Rows that depend on each other; a chain in which a coordinate is moved a thousand times as far as another."""
    assert motions(sparse.csr_array(np.ones((2, 3)))) is None
    long = chains(np.random.default_rng(1), loops=1, copies=0)
    assert not in_loops(long).any()
    assert motions(long) is None


def test_what_is_locked_moves_with_nothing() -> None:
    found = motions(sparse.csr_array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]]))
    assert found is not None
    assert found.toarray().tolist() == [[0.0], [0.0], [1.0]]


def test_entries_in_several_parts_are_one() -> None:
    whole = chains(np.random.default_rng(1), loops=1, copies=0)
    parted = Entries(
        np.repeat(0.5 * whole.data, 2), np.repeat(whole.indices, 2), 2 * np.asarray(whole.indptr), whole.shape
    )
    assert np.array_equal(in_loops(parted), in_loops(whole))


def test_a_chain_has_no_loops_and_a_loop_is_not_taken_away() -> None:
    generator = np.random.default_rng(0)
    assert not in_loops(chains(generator, loops=0, copies=0)).any()
    assert in_loops(sparse.csr_array(np.ones((4, 3)))).all()


def frame(storeys: int, bays: int) -> pl.Model:
    """Build columns and girders welded together."""
    m = pl.Model("frame", plane="xy")
    ground, section = m.add(pl.Ground()), pl.Section.rectangle(0.1, 0.1, pl.STEEL)
    tops = {(i, 0): ground.at(3.0 * i, 0.0) for i in range(bays + 1)}
    for j in range(storeys):
        for i in range(bays + 1):
            place, up = (3.0 * i, 3.0 * j), 90 * pl.DEG
            column = m.add(pl.Beam(f"column {i} {j}", length=3.0, section=section, position=place, angle=up))
            m.add(pl.Weld(tops[i, j], column.at(s=0)))
            tops[i, j + 1] = column.at(s=1)
        for i in range(bays):
            place = 3.0 * i, 3.0 * (j + 1)
            girder = m.add(pl.Beam(f"girder {i} {j}", length=3.0, section=section, position=place, angle=0.0))
            m.add(pl.Weld(tops[i, j + 1], girder.at(s=0)), pl.Weld(girder.at(s=1), tops[i + 1, j + 1]))
    return m


def test_a_welded_frame_leaves_nothing_to_dense_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    qr = dependence.dense.qr
    monkeypatch.setattr(
        dependence.dense, "qr", lambda matrix, **options: sizes.append(len(matrix)) or qr(matrix, **options)
    )
    system = pl.compile(frame(6, 6), elements=1)
    assert not system.redundant
    assert max(sizes, default=0) == 0


def test_modes_of_a_frame_are_those_of_the_dense_eigenproblem(monkeypatch: pytest.MonkeyPatch) -> None:
    system = pl.compile(frame(5, 5), elements=2)
    assert system.freedoms > 450
    found = []
    for limit in (10**6, 0):
        monkeypatch.setattr("pliant.linalg.eigen.DENSE_LIMIT", limit)
        found.append(pl.modal(system).frequency_hz.values)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-7)


@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("size", [(5, 5), (8, 7)])
def test_modes_of_a_frame_by_substituted_welds_are_those_of_dense_algebra(
    size: tuple[int, int], damped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All eigenvalues of 330 freedoms, and the lowest of 720; then with nothing substituted."""
    system = pl.compile(frame(*size), elements=1)
    rest = pl.statics(system, stability=False)
    quick = pl.modal(system, at=rest, damped=damped)
    monkeypatch.setattr(eigen, "motions", lambda jacobian: None)
    slow = pl.modal(system, at=rest, damped=damped)
    assert np.allclose(quick.frequency_hz, slow.frequency_hz, rtol=1e-9)
    assert np.allclose(quick.modal_mass, slow.modal_mass, rtol=1e-6)
