"""Contacts that stick, rounded hulls between steps, order 5 in time, corners of paths, robots, studies."""

from tests.mutants.fault import Fault

GRASP, CORNER, STUDY = (
    "unit/forces/test_grasp.py::test_",
    "regressions/test_paths_around_corners.py::test_",
    "unit/studies/test_study.py::test_",
)
RADAU, STEP = "unit/solvers/test_radau.py::test_", "pliant/solvers/radau/step.py"

FAULTS = (
    Fault(
        "grasp: half as stiff across as along the normal",
        "pliant/system/limits/sticking.py",
        "stiffness=stiffness, place=",
        "stiffness=0.5 * stiffness, place=",
        (GRASP + "a_ball_between_two_pads_sags_as_its_contacts_yield",),
    ),
    Fault(
        "grasp: rolling counted from the axes of the world",
        "pliant/system/limits/sticking.py",
        "(before(a).T @ before(b)).T",
        "np.eye(3)",
        (GRASP + "a_grasp_anywhere_in_space_holds_as_in_the_axes_of_the_world",),
    ),
    Fault(
        "grasp: what touches later passes",
        "pliant/system/limits/sticking.py",
        "if place not in known and gaps.friction[k]",
        "if place in known and not gaps.friction[k]",
        (GRASP + "what_touches_later_has_no_friction_and_is_named",),
    ),
    Fault(
        "prediction: the change before the last twice",
        "pliant/solvers/stepping/prediction.py",
        "d[i], d[i + n], d[i + n + n] = moved, d1, d2",
        "d[i], d[i + n], d[i + n + n] = moved, d1, d1",
        ("unit/solvers/test_prediction.py::test_what_three_factors_can_tell_is_foretold",),
    ),
    Fault(
        "course of a signal: the piece after the one that an instant is in",
        "pliant/solvers/stepping/signal_course.py",
        "if course.edges[middle, 1] < time:",
        "if course.edges[middle, 0] < time:",
        ("unit/solvers/test_signal_course.py::test_between_instants_signals_are_what_they_are",),
    ),
    Fault(
        "signals between steps: a twentieth of what was missed",
        "pliant/analyses/motion/between_steps.py",
        "share = off / span if span > 0.0 else 0.0",
        "share = 0.05 * off / span if span > 0.0 else 0.0",
        ("regressions/test_between_steps.py::test_equal_steps_that_miss_it_are_not_ok",),
    ),
    Fault(
        "Radau: a hundredth of the local error",
        STEP,
        "return largest(scratch.step, run.equations.weight)",
        "return 0.01 * largest(scratch.step, run.equations.weight)",
        (RADAU + "a_jump_of_the_load_is_met_by_short_steps",),
    ),
    Fault(
        "Radau: velocities are left off the joints",
        STEP,
        "joints.velocity(rows, state.q, state.v, u, rate, scratch.speed)",
        "joints.velocity(rows, state.q, scratch.nothing, u, scratch.nothing, scratch.speed)",
        (RADAU + "the_velocity_of_a_pendulum_is_across_its_rod",),
    ),
    Fault(
        "Radau: rotation vectors bend without their velocity",
        STEP,
        "minus(vector(a, j), charts.bend(theta, turn, w, NONE))",
        "minus(vector(a, j), charts.bend(theta, NONE, w, NONE))",
        (RADAU + "rotations_in_space_are_of_order_five",),
    ),
    Fault(
        "corner: the way back is not tried",
        "pliant/solvers/paths/corners.py",
        "ways = () if tangent is None else (tangent, -tangent)",
        "ways = () if tangent is None else (tangent,)",
        (CORNER + "a_stop_on_the_way_of_a_snap_turns_the_load_around",),
    ),
    Fault(
        "robot: loads that change are no reason to move",
        "pliant/analyses/poses/branch.py",
        "slope if found.regular else np.full_like(slope, np.nan)",
        "0.0 * slope",
        ("regressions/test_loads_that_change_along_a_row.py::test_a_load_that_bends_it_is_followed",),
    ),
    Fault(
        "robot: motors that jump at a corner have not jumped",
        "pliant/analyses/poses/rows.py",
        "return pose, not around_corner(self.robot, before, pose, driven=True)",
        "return pose, False",
        ("regressions/test_robots_among_shapes.py::test_what_slips_off_the_peg_jumps",),
    ),
    Fault(
        "study: a run is entered again",
        "pliant/studies/journal.py",
        "if not self.done[row.run]:",
        "if row.run >= 0:",
        (STUDY + "a_run_that_is_told_twice_counts_once",),
    ),
    Fault(
        "study: random numbers of the next run",
        "pliant/studies/designs.py",
        "spawn_key=(run,)",
        "spawn_key=(run + 1,)",
        (STUDY + "monte_carlo_draws_as_numpy_spawns",),
    ),
    Fault(
        "study: a failed run borders on nothing",
        "pliant/studies/refinement.py",
        "FAILED if status[k] == 3 else values[k]",
        "values[k]",
        (STUDY + "refinement_bisects_the_border_of_what_fails",),
    ),
    Fault(
        "shapes: a tenth of the depth between steps",
        "pliant/forces/collisions/passing.py",
        "(near_by[0] - near_by[1]) / size)",
        "0.1 * (near_by[0] - near_by[1]) / size)",
        ("regressions/test_shapes_that_pass.py::test_a_step_over_another_shape_is_not_ok",),
    ),
    Fault(
        "time error: errors that have grown follow an order",
        "pliant/analyses/motion/time_error.py",
        "return far if grown else far /",
        "return far /",
        (
            "regressions/test_errors_that_grow.py::test_the_distance_of_two_motions_is_the_error_where_rounding_has_grown",
        ),
    ),
    Fault(
        "four abreast: a mass that both ends share pushes one of them",
        "pliant/elements/_spatial_two_node.py",
        "pushed1 = plus(times(mass[0], moving.x1), times(mass[2], moving.x2))",
        "pushed1 = times(mass[0], moving.x1)",
        ("spatial-dynamics",),
    ),
    Fault(
        "eight cosines: the quarter turn in two parts",
        "pliant/kernels/circle.py",
        "6.077100506303966e-11",
        "6.0771e-11",
        ("unit/kernels/test_circle.py::test_right_to_rounding",),
    ),
)
