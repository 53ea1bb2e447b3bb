"""What is told: labels, units, scales, files, exports, robots."""

from tests.mutants.fault import Fault

EQUILIBRIA = "analyses/kinetostatics/equilibria.py"
COSINES = ("unit/test_kinetostatics.py::test_arm_meets_the_law_of_cosines",)

FAULTS = (
    Fault(
        "x and y of nodes exchanged in results",
        "system/points.py",
        "3)[:, self.node, :2]",
        "3)[:, self.node, 1::-1]",
        ("unit/test_closed_forms.py::test_a_body_falls",),
    ),
    Fault(
        "acceleration of markers without the centripetal part",
        "system/points.py",
        "_quarter(arm) - self._turn(v) ** 2 * arm",
        "_quarter(arm)",
        ("unit/test_closed_forms.py::test_a_point_of_a_wheel_is_accelerated_inwards",),
    ),
    Fault(
        "moments of reactions in N",
        "system/observation.py",
        '["N"] * len(space.axes) + ["N m"] * (space.width - len(space.axes))',
        '["N"] * space.width',
        ("unit/test_closed_forms.py::test_units_of_reactions",),
    ),
    Fault(
        "section resultants: N and V exchanged",
        "elements/beam_exact/planar.py",
        "out[2 * e, 0], out[2 * e, 1], out[2 * e, 2] = N, V, M - lever",
        "out[2 * e, 0], out[2 * e, 1], out[2 * e, 2] = V, N, M - lever",
        ("unit/test_observe.py::test_tip_force_along_a_cantilever",),
    ),
    Fault(
        "scales: signals not stretched in time",
        "model/scales.py",
        "_scale(key, kind, scales, owner), scales.time)",
        "_scale(key, kind, scales, owner), 1.0)",
        ("unit/test_closed_forms.py::test_a_scaled_model_in_closed_form",),
    ),
    Fault(
        "scales: arms of markers not scaled",
        "model/scales.py",
        'value / scales.length if key in ("x", "y", "z") else value',
        "value",
        ("unit/test_closed_forms.py::test_a_scaled_model_in_closed_form",),
    ),
    Fault(
        "URDF: inertia not turned into the frame of the link",
        "interchange/urdf_reader.py",
        "frame.R @ own @ frame.R.T",
        "own",
        ("unit/test_urdf.py::test_turned_inertias_and_nested_frames_against_rotations_of_scipy",),
    ),
    Fault(
        "URDF: order of roll, pitch and yaw",
        "interchange/urdf_reader.py",
        "turned[2] @ turned[1] @ turned[0]",
        "turned[0] @ turned[1] @ turned[2]",
        ("unit/test_urdf.py::test_turned_inertias_and_nested_frames_against_rotations_of_scipy",),
    ),
    Fault(
        "URDF: damping of pins forgotten",
        "interchange/urdf.py",
        "    if joint.damping:\n        model.add(TorsionSpring",
        "    if False:\n        model.add(TorsionSpring",
        ("unit/test_urdf.py::test_damping_of_a_pin_is_taken",),
    ),
    Fault(
        "model file: twelve digits of numbers",
        "model/io.py",
        "    return repr(value)",
        '    return f"{value:.12g}" if isinstance(value, float) else repr(value)',
        ("unit/test_io.py::test_numbers_survive_to_the_last_bit",),
    ),
    Fault(
        "result file: imaginary parts of the wrong sign",
        "results/io.py",
        "data[name].values + 1j * data[imaginary].values",
        "data[name].values - 1j * data[imaginary].values",
        ("unit/test_results.py::test_round_trip",),
    ),
    Fault(
        "CSV: columns shifted under their heads",
        "interchange/tables.py",
        "write_rows(path, [heading(each.name, each.units) for each in columns], rows)",
        "write_rows(path, [heading(each.name, each.units) for each in columns[::-1]], rows)",
        ("unit/test_closed_forms.py::test_a_table_of_a_fall",),
    ),
    Fault(
        "VTK: speed of the vertical motion only",
        "interchange/vtk.py",
        'loads["speed"] = np.linalg.norm(velocity, axis=-1)',
        'loads["speed"] = velocity[..., 1]',
        ("unit/test_interchange.py::test_vtk_speed_is_that_of_a_turning_link",),
    ),
    Fault(
        "FMU: inputs one communication step late",
        "interchange/fmu_slave.py",
        "self.stepper.inputs.update(self.inputs)\n            self.stepper.advance(step_size)",
        "self.stepper.advance(step_size)\n            self.stepper.inputs.update(self.inputs)",
        ("unit/test_closed_forms_of_control.py::test_fmu_of_a_wheel_is_exact",),
    ),
    Fault(
        "robot: torques of the motors of the wrong sign",
        EQUILIBRIA,
        "torques=slope.gap @ lam,",
        "torques=-slope.gap @ lam,",
        COSINES,
    ),
    Fault(
        "robot: stiffness of the wrong sign",
        EQUILIBRIA,
        "compliance=by_force.T.copy(),",
        "compliance=-by_force.T.copy(),",
        ("unit/test_closed_forms.py::test_compliance_of_a_cantilever", "six-rus-kinetostatics"),
    ),
    Fault(
        "robot: Jacobian of the node instead of the platform's point",
        "analyses/kinetostatics/effector.py",
        "found[:2, 2] = -y, x",
        "found[:2, 2] = y, -x",
        ("unit/test_closed_forms.py::test_jacobian_of_an_arm",),
    ),
    Fault(
        "robot: margin to the lower limits only",
        EQUILIBRIA,
        "gaps = np.concatenate([motors - self.limits[:, 0], self.limits[:, 1] - motors])",
        "gaps = np.concatenate([motors - self.limits[:, 0], motors - self.limits[:, 0]])",
        ("unit/test_closed_forms.py::test_jacobian_of_an_arm",),
    ),
    Fault(
        "robot: strain at the surface doubled",
        "analyses/kinetostatics/strains.py",
        "0.0, 0.5 * height / section.bending_stiffness]",
        "0.0, height / section.bending_stiffness]",
        ("unit/test_kinetostatics.py::test_strain_is_that_of_the_largest_moment",),
    ),
    Fault(
        "error in time stated a tenth of what it is",
        "analyses/time_error.py",
        "time_error=apart(system, motion, other) / abs(ratio - 1.0))",
        "time_error=0.1 * apart(system, motion, other) / abs(ratio - 1.0))",
        ("regressions/test_ok_means_right.py::test_the_error_stated_is_the_error_made",),
    ),
)
