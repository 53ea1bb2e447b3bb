"""Masses, inertias and weight."""

from tests.mutants.fault import Fault

RIGID, RIGID_IN_SPACE = "pliant/elements/rigid/planar.py", "pliant/elements/rigid/spatial.py"
EULER = ("contract/test_spatial_parts.py::test_free_body_spins_as_euler_says", "spatial-dynamics")

FAULTS = (
    Fault(
        "inertia of every link doubled",
        RIGID,
        "body.mass, body.inertia))",
        "body.mass, 2.0 * body.inertia))",
        ("pendulum-modes",),
    ),
    Fault(
        "mass of every link 1 % too large, its weight not",
        RIGID,
        "(layout.body_node(body), 0.0, 0.0, body.mass,",
        "(layout.body_node(body), 0.0, 0.0, 1.01 * body.mass,",
        ("pendulum-modes",),
    ),
    Fault(
        "default inertia of a link m L² / 11",
        "pliant/model/bodies/rigid.py",
        "* length**2 / 12.0)",
        "* length**2 / 11.0)",
        ("pendulum-modes",),
    ),
    Fault(
        "gravity 1 % too strong",
        "pliant/forces/gravity/entries.py",
        "body.mass, force)",
        "1.01 * body.mass, force)",
        ("pendulum-modes",),
    ),
    Fault(
        "gravity upwards",
        "pliant/forces/gravity/__init__.py",
        "EARTH = -9.81",
        "EARTH = 9.81",
        ("unit/analyses/test_closed_forms.py::test_a_body_falls", "pendulum-modes"),
    ),
    Fault(
        "weight of beams 1 % too large",
        "pliant/forces/gravity/entries.py",
        "yield Entry(int(node), mass, force, arm=arm)",
        "yield Entry(int(node), 1.01 * mass, force, arm=arm)",
        ("unit/system/test_observe.py::test_weight_along_a_cantilever",),
    ),
    Fault(
        "point mass: its own inertia ignored",
        RIGID,
        "dx, dy, lump.mass, lump.inertia))",
        "dx, dy, lump.mass, 0.0))",
        ("unit/analyses/test_closed_forms.py::test_a_point_mass_on_a_rod_swings",),
    ),
    Fault(
        "point mass off its node: no centrifugal force",
        RIGID,
        "fx = m * (a[i] - py * alpha - px * omega * omega)",
        "fx = m * (a[i] - py * alpha)",
        ("unit/analyses/test_closed_forms.py::test_a_point_mass_on_a_rod_swings",),
    ),
    Fault(
        "space: gyroscopic moment dropped",
        "pliant/kernels/blocks.py",
        "plus(times(alpha, swirl), cross(spin, swirl))",
        "times(alpha, swirl)",
        EULER,
    ),
    Fault(
        "space: inertia axes permuted",
        RIGID_IN_SPACE,
        "*body.inertia_matrix.ravel()",
        "*body.inertia_matrix[::-1, ::-1].ravel()",
        EULER,
    ),
    Fault(
        "space: point mass without Steiner's term",
        RIGID_IN_SPACE,
        " + lump.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))",
        "",
        ("contract/test_spatial_parts.py::test_kinetic_energy_is_that_of_the_masses",),
    ),
    Fault(
        "mass of beams 1 % too large",
        "pliant/elements/_sections.py",
        "return whole * lengths(meshes, order)[:, None, None]",
        "return 1.01 * whole * lengths(meshes, order)[:, None, None]",
        ("beam-modes",),
    ),
    Fault(
        "rotary inertia of sections ignored",
        "pliant/model/sections/sections.py",
        "rotary_inertia=material.density * moments[1],",
        "rotary_inertia=0.0,",
        ("unit/model/test_model_sections.py::test_rectangle", "beam-modes"),
    ),
)
