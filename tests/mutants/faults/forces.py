"""Loads, springs, dampers, tendons, contact and stops."""

from tests.mutants.fault import Fault

PULL, TENDON = "forces/tendon/pull.py", "forces/tendon/planar.py"

FAULTS = (
    Fault(
        "follower force turned the other way",
        "forces/_loads.py",
        "theta = q[part.dofs[e, 2]] + part.angle[e]",
        "theta = part.angle[e] - q[part.dofs[e, 2]]",
        ("unit/test_closed_forms.py::test_a_scaled_model_in_closed_form",),
    ),
    Fault(
        "follower force taken as dead",
        "forces/point/entries.py",
        "arm=arm, follower=force.follower",
        "arm=arm, follower=False",
        ("unit/test_statics.py::test_follower_force_bends_as_its_integral_says", "buckling"),
    ),
    Fault(
        "spring: damper halved",
        "forces/_law/linear.py",
        "+ p[2] * rate[0]\n        f_x[0, 0] = p[0]\n        f_rate[0, 0] = p[2]",
        "+ 0.5 * p[2] * rate[0]\n        f_x[0, 0] = p[0]\n        f_rate[0, 0] = 0.5 * p[2]",
        ("unit/test_modal.py::test_damped_oscillator",),
    ),
    Fault(
        "spring: rest length ignored",
        "forces/_law/linear.py",
        "f[0] = p[0] * (x[0] - p[1]) + p[2]",
        "f[0] = p[0] * x[0] + p[2]",
        ("unit/test_closed_forms.py::test_a_weight_hangs_on_a_spring",),
    ),
    Fault(
        "motor: torque on the wrong body",
        "forces/motor.py",
        "f[0] = -u[0]",
        "f[0] = u[0]",
        ("regressions/test_ok_means_right.py::test_a_jump_of_an_expression_acts_from_its_instant_on",),
    ),
    Fault(
        "dashpot halved",
        "forces/dashpot/planar.py",
        "coefficient=np.array([(d.x, d.y, d.turn) for d in dashpots]",
        "coefficient=np.array([(0.5 * d.x, 0.5 * d.y, 0.5 * d.turn) for d in dashpots]",
        ("unit/test_dashpot.py::test_body_slows_down_exponentially",),
    ),
    Fault(
        "quadratic drag: half of it",
        "forces/quadratic_drag.py",
        "f[k] = p[0] * speed * rate[k]",
        "f[k] = 0.5 * p[0] * speed * rate[k]",
        ("unit/test_closed_forms.py::test_a_body_falls",),
    ),
    Fault(
        "drag of beams halved",
        "forces/drag/nodes.py",
        "rows.append(np.outer(mesh.tributary,",
        "rows.append(np.outer(0.5 * mesh.tributary,",
        ("unit/test_closed_forms.py::test_a_beam_slows_down_in_drag",),
    ),
    Fault(
        "tendon: damper halved",
        TENDON,
        "law.append((t.stiffness, t.damping,",
        "law.append((t.stiffness, 0.5 * t.damping,",
        ("unit/test_tendon.py::test_a_damped_tendon_damps_its_mode",),
    ),
    Fault(
        "tendon: guides ignored",
        TENDON,
        "            nodes[e, p], offsets[e, p] = layout.node(marker), arm(marker)",
        "            marker = markers[0] if p < len(markers) - 1 else marker\n"
        "            nodes[e, p], offsets[e, p] = layout.node(marker), arm(marker)",
        (
            "unit/test_tendon.py::test_a_loop_of_rope_halves_the_load",
            "unit/test_tendon.py::test_a_tendon_along_a_beam_bends_it_like_a_moment",
        ),
    ),
    Fault(
        "tendon: geometric stiffness dropped",
        PULL,
        "add_line(flat, dofs, slots, v, pull, ck * pull,",
        "add_line(flat, dofs, slots, v, pull, 0.0,",
        ("unit/test_tendon.py::test_a_mass_between_two_tendons_vibrates_along_and_across",),
    ),
    Fault(
        "tendon in space: geometric stiffness dropped",
        PULL,
        "add_line_in_space(line, dofs, slots, v, pull, ck * pull,",
        "add_line_in_space(line, dofs, slots, v, pull, 0.0,",
        ("unit/test_closed_forms.py::test_a_mass_between_two_tendons_vibrates_in_space",),
    ),
    Fault(
        "tendon: pushes where it is slack",
        "forces/tendon/law.py",
        "value = 0.5 * (f + root) if f > 0.0 else 0.5 * e * (e / (root - f))\n    return value, value / root",
        "return f, 1.0",
        ("unit/test_tendon.py::test_a_slack_tendon_lets_fall_and_then_catches",),
    ),
    Fault(
        "tendon: pretension of the wrong sign",
        "forces/tendon/__init__.py",
        "return Constant(length - stretch)",
        "return Constant(length + stretch)",
        ("unit/test_tendon.py::test_force_is_exact_however_wide_the_transition",),
    ),
    Fault(
        "tendon: friction at guides halved",
        "forces/tendon/route.py",
        "exp(-mu * angle * grip)",
        "exp(-0.5 * mu * angle * grip)",
        ("unit/test_tendon.py::test_capstan", "properties/test_tendon.py::test_euler_and_eytelwein"),
    ),
    Fault(
        "contact: exponent of the penetration ignored",
        "forces/contact/law.py",
        "elastic = k * (-gap) ** p",
        "elastic = k * (-gap)",
        ("unit/test_closed_forms.py::test_peak_force_of_hertz",),
    ),
    Fault(
        "contact: damping halved (restitution too large)",
        "forces/contact/law.py",
        "k, p, d = law[0], law[1], law[2]",
        "k, p, d = law[0], law[1], 0.5 * law[2]",
        ("unit/test_closed_forms.py::test_hunt_and_crossley_bounce",),
    ),
    Fault(
        "contact: friction coefficient 10 % too small",
        "forces/contact/press.py",
        "hold, stiffening = law[3] * hold, law[3] * stiffening",
        "hold, stiffening = 0.9 * law[3] * hold, 0.9 * law[3] * stiffening",
        ("unit/test_closed_forms.py::test_a_block_slides_by_regularised_friction",),
    ),
    Fault(
        "rigid contact: restitution ignored",
        "solvers/moreau.py",
        "share * closed.restitution * np.minimum",
        "0.0 * closed.restitution * np.minimum",
        ("unit/test_contact.py::test_bouncing_ball_has_its_times_and_heights",),
    ),
    Fault(
        "rigid contact: friction doubled",
        "solvers/moreau.py",
        "cones.solve(W, b, closed.friction, p,",
        "cones.solve(W, b, 2.0 * closed.friction, p,",
        ("unit/test_contact.py::test_block_on_an_incline",),
    ),
    Fault(
        "stop 0.05 rad too far",
        "forces/stop/ends.py",
        "end=np.array([end for _, _, end, _ in ends], float)",
        "end=np.array([end - 0.05 * side for _, _, end, side in ends], float)",
        ("unit/test_closed_forms.py::test_a_pendulum_rests_on_its_stop",),
    ),
)
