"""Time stepping, its energy account, starts and jumps; modes, paths, stability, statics."""

from tests.mutants.fault import Fault

SCHEME, ALPHA, MODAL, PATH = (
    "pliant/solvers/stepping/alpha_scheme.py",
    "pliant/solvers/stepping/generalized_alpha.py",
    "pliant/analyses/modes/modal.py",
    "pliant/solvers/paths/path.py",
)

FAULTS = (
    Fault(
        "generalized-alpha: γ 0.05 too large",
        SCHEME,
        "0.5 - alpha_m + alpha_f)",
        "0.55 - alpha_m + alpha_f)",
        ("unit/analyses/test_transient.py::test_second_order_and_closed_joints", "pendulum-modes"),
    ),
    Fault(
        "generalized-alpha: β of another method",
        SCHEME,
        "0.25 * (1.0 - alpha_m + alpha_f) ** 2",
        "0.5 * (1.0 - alpha_m + alpha_f) ** 2",
        ("unit/analyses/test_closed_forms.py::test_a_step_multiplies_an_oscillation_by_the_root_of_the_scheme",),
    ),
    Fault(
        "Newmark: default β 1/6",
        SCHEME,
        "return Scheme(0.0, 0.0, beta, gamma)",
        "return Scheme(0.0, 0.0, beta / 1.5, gamma)",
        ("unit/analyses/test_closed_forms.py::test_a_step_multiplies_an_oscillation_by_the_root_of_the_scheme",),
    ),
    Fault(
        "jumps of signals act half a step late",
        ALPHA,
        "if not jump(run, signals.u[k], h):",
        "if False:",
        ("regressions/test_ok_means_right.py::test_a_jump_of_an_expression_acts_from_its_instant_on",),
    ),
    Fault(
        "velocities on the joints: reactions are left as they ring",
        ALPHA,
        "state.lam[k] += scale * scratch.step[n + k]",
        "state.lam[k] += 0.0 * scale * scratch.step[n + k]",
        ("regressions/test_drives.py::test_torques_of_drives_do_not_ring",),
    ),
    Fault(
        "energy account: half of the dissipation",
        ALPHA,
        "state.work[1] += lost",
        "state.work[1] += 0.5 * lost",
        ("unit/forces/test_dashpot.py::test_body_slows_down_exponentially",),
    ),
    Fault(
        "energy account: work supplied twice",
        ALPHA,
        "state.work[0] += work",
        "state.work[0] += 2.0 * work",
        ("unit/joints/test_joints.py::test_prescribed_motion_is_followed_and_pays_for_itself",),
    ),
    Fault(
        "momentum scheme: angle instead of its tangent (space)",
        "pliant/solvers/stepping/midpoint.py",
        "stretch = tan(size) / size if size > 1e-5 else 1.0 + size * size / 3.0",
        "stretch = 1.0",
        ("unit/solvers/test_momentum_scheme.py::test_momentum_is_kept_to_rounding",),
    ),
    Fault(
        "frequencies in rad/s instead of Hz",
        MODAL,
        '"frequency_hz": ("mode", np.abs(values) / (2.0 * np.pi))',
        '"frequency_hz": ("mode", np.abs(values))',
        ("unit/forces/test_tendon.py::test_a_mass_between_two_tendons_vibrates_along_and_across",),
    ),
    Fault(
        "damping ratio of the wrong sign",
        MODAL,
        "-values.real / np.maximum(np.abs(values), 1e-300)",
        "values.real / np.maximum(np.abs(values), 1e-300)",
        ("unit/analyses/test_modal.py::test_damped_oscillator",),
    ),
    Fault(
        "modal mass halved",
        MODAL,
        "modal_mass = found.masses / size**2",
        "modal_mass = 0.5 * found.masses / size**2",
        ("unit/analyses/test_modal.py::test_modal_mass_and_shape_of_a_cantilever",),
    ),
    Fault(
        "path: event at the point before it",
        PATH,
        "share = before.softness / (before.softness - after.softness)",
        "share = 40.0",
        ("buckling",),
    ),
    Fault(
        "path: events located a hundred thousand times less finely",
        PATH,
        "while length > SMALLEST:\n            share =",
        "while length > 1e5 * SMALLEST:\n            share =",
        ("unit/analyses/test_path.py::test_truss_snaps_through_at_the_limit_loads_of_its_closed_form", "buckling"),
    ),
    Fault(
        "path: limit points called bifurcations",
        PATH,
        "if turning and self.is_pushed(before):",
        "if False:",
        ("unit/analyses/test_path.py::test_truss_snaps_through_at_the_limit_loads_of_its_closed_form",),
    ),
    Fault(
        "path: the other side of a branch",
        PATH,
        "across *= side / self.length(across)",
        "across *= -side / self.length(across)",
        ("unit/analyses/test_path.py::test_both_sides_of_a_pitchfork_mirror_each_other",),
    ),
    Fault(
        "stability: one unstable direction forgotten",
        "pliant/solvers/nonlinear/stability.py",
        "return Count(int(negatives) - system.constraints)",
        "return Count(max(0, int(negatives) - system.constraints - 1))",
        ("unit/analyses/test_closed_forms.py::test_a_column_loses_its_stability_at_eulers_load",),
    ),
    Fault(
        "robot: one unstable direction forgotten",
        "pliant/solvers/nonlinear/tangent.py",
        "return status, negatives - lam.size, force",
        "return status, max(0, negatives - lam.size - 1), force",
        ("unit/analyses/test_closed_forms.py::test_a_robot_that_presses_a_column_knows_eulers_load",),
    ),
    Fault(
        "inverse statics: given orientation ignored",
        "pliant/analyses/statics/inverse_statics.py",
        "return Weld(Ground().at(*point, angle=float(turn)), held, angle=0.0)",
        "return Weld(Ground().at(*point, angle=0.5 * float(turn)), held, angle=0.0)",
        ("unit/analyses/test_closed_forms.py::test_two_forces_and_a_moment_bend_a_beam_into_an_arc",),
    ),
)
