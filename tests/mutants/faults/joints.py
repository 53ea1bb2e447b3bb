"""Joints: rows, axes, second derivatives, reactions, drives, rotations."""

from tests.mutants.fault import Fault

PLANE, SPACE = "pliant/joints/rows/planar.py", "pliant/joints/rows/spatial.py"

FAULTS = (
    Fault(
        "pin in space: one row dropped",
        "pliant/joints/revolute.py",
        '("x", "y", "z", "rx", "ry")',
        '("x", "y", "z", "rx")',
        ("unit/model/test_spatial_model.py::test_freedom_that_joints_leave", "spatial-dynamics"),
    ),
    Fault(
        "axes of joints permuted",
        "pliant/model/axes.py",
        "turns = (ord(axis) - ord(along)) % 3",
        "turns = (ord(along) - ord(axis)) % 3",
        (
            "unit/model/test_spatial_model.py::test_axis_is_the_free_axis_of_the_joint_frame",
            "unit/io/test_urdf.py::test_pendulum_swings_as_theory_says",
        ),
    ),
    Fault(
        "slide along the wrong line",
        "pliant/system/packing/joint_rows.py",
        "(c, s) if direction[k, 0] else (-s, c)",
        "(c, -s) if direction[k, 0] else (s, c)",
        ("unit/joints/test_joints.py::test_prismatic_slides_along_its_turned_axis",),
    ),
    Fault(
        "stiffness of joint forces halved (plane)",
        PLANE,
        "measures.add_turns(s, rows.slots, t, ck * c * push, x)",
        "measures.add_turns(s, rows.slots, t, 0.5 * ck * c * push, x)",
        (
            "unit/analyses/test_modal.py::test_string_frequency_of_a_link_chain_is_its_reactions_stiffness",
            "pendulum-modes",
        ),
    ),
    Fault(
        "stiffness of joint forces halved (space)",
        SPACE,
        "times(ck * c * push, vector(n, 0))",
        "times(0.5 * ck * c * push, vector(n, 0))",
        ("unit/io/test_urdf.py::test_pendulum_swings_as_theory_says",),
    ),
    Fault(
        "sign of the second derivative of rows (geometric)",
        PLANE,
        "rows.factor[t] * measures.curvature(x, v, rows.dofs, t)",
        "-rows.factor[t] * measures.curvature(x, v, rows.dofs, t)",
        ("unit/analyses/test_transient.py::test_initial_reaction_of_a_spinning_bar_holds_it", "pendulum-modes"),
    ),
    Fault(
        "sign of the second derivative of rows (Udwadia-Kalaba)",
        "pliant/formulations/udwadia_kalaba/accelerations.py",
        "work.target[k] -= c * measures.curvature(x, v, rows.dofs, t)",
        "work.target[k] += c * measures.curvature(x, v, rows.dofs, t)",
        ("unit/formulations/test_udwadia_kalaba.py::test_rigid_crank_slider_moves_as_in_its_minimal_coordinate",),
    ),
    Fault(
        "reactions of the wrong sign",
        PLANE,
        "push = -rows.factor[t] * lam[i, rows.row[t]]",
        "push = rows.factor[t] * lam[i, rows.row[t]]",
        ("unit/joints/test_joints.py::test_simply_supported_link_by_hand",),
    ),
    Fault(
        "gear: ratio inverted",
        "pliant/joints/gear.py",
        "return self.teeth_b / self.teeth_a",
        "return self.teeth_a / self.teeth_b",
        ("contract/test_gear_and_screw.py::test_gear_pair_turns_as_its_reduced_inertia",),
    ),
    Fault(
        "screw: left-handed",
        "pliant/joints/screw.py",
        '"z", -self.pitch / (2.0 * pi))',
        '"z", self.pitch / (2.0 * pi))',
        ("contract/test_gear_and_screw.py::test_nut_moves_as_with_the_reduced_mass_of_its_spin",),
    ),
    Fault(
        "rigid rod 1 % too long",
        "pliant/joints/distance.py",
        "ASSEMBLED if self.length is None else self.length)",
        "ASSEMBLED if self.length is None else 1.01 * self.length)",
        ("unit/analyses/test_closed_forms.py::test_a_bob_hangs_on_a_rod_of_given_length",),
    ),
    Fault(
        "drive: power of the wrong sign in the energy account",
        "pliant/joints/rows/targets.py",
        "total -= lam[k] * rows.gain[k] * rate[rows.signal[k]]",
        "total += lam[k] * rows.gain[k] * rate[rows.signal[k]]",
        ("unit/joints/test_joints.py::test_prescribed_motion_is_followed_and_pays_for_itself",),
    ),
    Fault(
        "sine: phase ignored",
        "pliant/model/signals/base.py",
        "np.sin(omega * t + self.phase + order * np.pi / 2.0)",
        "np.sin(omega * t + order * np.pi / 2.0)",
        ("unit/analyses/test_closed_forms.py::test_sine_in_closed_form",),
    ),
    Fault(
        "sine: rate of the wrong sign",
        "pliant/model/signals/base.py",
        "self.phase + order * np.pi / 2.0)",
        "self.phase - order * np.pi / 2.0)",
        ("unit/analyses/test_closed_forms.py::test_sine_in_closed_form",),
    ),
    Fault(
        "quaternions turned by 0.2 % more than the increment",
        "pliant/kernels/so3.py",
        "product(quaternion(q, j), exponential((q[i], q[i + 1], q[i + 2])))",
        "product(quaternion(q, j), exponential((1.002 * q[i], 1.002 * q[i + 1], 1.002 * q[i + 2])))",
        ("unit/analyses/test_closed_forms.py::test_a_free_top_precesses",),
    ),
    Fault(
        "rotation matrix wrong in one entry",
        "pliant/model/rotations.py",
        "[x * y + w * z, 0.5",
        "[x * y - w * z, 0.5",
        ("unit/model/test_rotations.py::test_quaternions_do_what_those_of_scipy_do",),
    ),
    Fault(
        "friction at the edge of slipping: helps the motion to come",
        "pliant/solvers/nonlinear/slipping.py",
        "right[:n] -= share * force",
        "right[:n] += share * force",
        ("unit/forces/test_friction_at_the_edge.py::test_a_block_is_held_by_a_level_spring",),
    ),
    Fault(
        "friction at the edge of slipping: a thread climbs the other way",
        "pliant/forces/friction.py",
        "return climb / hypot(climb, self.radius), self.radius",
        "return -climb / hypot(climb, self.radius), self.radius",
        ("unit/forces/test_friction_at_the_edge.py::test_a_screw_is_wound_up_and_down",),
    ),
    Fault(
        "bodies are laid along markers of beams as if these were not turned",
        "pliant/system/assembly/planar_frames.py",
        "theta + marker.angle),",
        "theta),",
        ("unit/elements/test_many_beams.py::test_a_body_is_laid_along_a_marker_that_is_turned_on_a_beam",),
    ),
)
