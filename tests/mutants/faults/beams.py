"""Sections and beams, plane and space: stiffness, offsets, rest shapes, geometric stiffness, Rayleigh damping."""

from tests.mutants.fault import Fault

SECTIONS, DAMPING = "model/sections.py", "model/damping.py"
RAYLEIGH = ("unit/test_modal.py::test_damping_ratios_follow_rayleigh",)

FAULTS = (
    Fault(
        "second moment of a rectangle 1 % too large",
        SECTIONS,
        "width * height**3 / 12.0\n",
        "1.01 * width * height**3 / 12.0\n",
        ("unit/test_model_sections.py::test_rectangle", "beam-static"),
    ),
    Fault(
        "second moments of a rectangle exchanged",
        SECTIONS,
        "moments = height * width**3 / 12.0, width * height**3 / 12.0",
        "moments = width * height**3 / 12.0, height * width**3 / 12.0",
        ("unit/test_spatial_model.py::test_section_of_a_rectangle_in_space", "beam-static"),
    ),
    Fault(
        "second moment of a circle π r⁴ / 2",
        SECTIONS,
        "moment = pi * radius**4 / 4.0",
        "moment = pi * radius**4 / 2.0",
        ("unit/test_model_sections.py::test_circle_and_tube_without_bore_agree", "shooting-fourbar", "tapered-beam"),
    ),
    Fault(
        "torsion constant of a rectangle that of a thin strip",
        SECTIONS,
        "(1.0 / 3.0 - 64.0 / pi**5 * b / a * series)",
        "(1.0 / 3.0)",
        ("unit/test_spatial_model.py::test_torsion_of_rectangles",),
    ),
    Fault(
        "torsion with Young's modulus",
        SECTIONS,
        "torsional_stiffness=material.shear_modulus * torsion",
        "torsional_stiffness=material.youngs_modulus * torsion",
        ("unit/test_spatial_beams_in_use.py::test_tapered_rod_twists_as_the_integral_says", "lateral-buckling"),
    ),
    Fault(
        "shear factor left out",
        SECTIONS,
        "shear_stiffness=factors[0] * shear,",
        "shear_stiffness=shear,",
        ("unit/test_model_sections.py::test_rectangle", "beam-modes"),
    ),
    Fault(
        "shear stiffness of planar beams halved",
        "elements/_beams.py",
        "stiffness=_sections.values(mesh, order, _sections.MIDDLE, stiffnesses)[:, 0],",
        "stiffness=_sections.values(mesh, order, _sections.MIDDLE, stiffnesses)[:, 0] * [1.0, 0.5, 1.0],",
        ("beam-modes", "unit/test_beam_linear.py::test_exact_element_gives_timoshenko_deflection"),
    ),
    Fault(
        "taper: section at the middle everywhere",
        "elements/_sections.py",
        "return values(mesh, order, gauss(order)[0], pick)",
        "return values(mesh, order, 0.0 * gauss(order)[0] + 0.5, pick)",
        ("regressions/test_tapered_beams.py::test_higher_orders_are_better",),
    ),
    Fault(
        "marker off the axis of a beam: offset ignored",
        "system/layout.py",
        "return self.offset(marker)[:2]",
        "return (0.0, 0.0) if marker.s is not None else self.offset(marker)[:2]",
        ("unit/test_closed_forms.py::test_a_load_off_the_axis_bends_a_beam",),
    ),
    Fault(
        "rest curvature halved",
        "elements/beam_exact/planar.py",
        "rest=np.stack((c * dx + s * dy, c * dy - s * dx, turn), axis=1)",
        "rest=np.stack((c * dx + s * dy, c * dy - s * dx, 0.5 * turn), axis=1)",
        ("contract/test_beam_elements.py::test_curved_rest_is_free_of_stress",),
    ),
    Fault(
        "geometric stiffness of a planar beam dropped",
        "elements/beam_exact/planar.py",
        "h = 0.25 * L * (EA * E2 * E2 + GA * E1 * E1 - ck * (N * E1 + V * E2))",
        "h = 0.25 * L * (EA * E2 * E2 + GA * E1 * E1)",
        ("unit/test_modal.py::test_preload_stiffens_as_a_string", "buckling"),
    ),
    Fault(
        "corotational beam: bending stiffness 1 % too large",
        "elements/_sections.py",
        "return np.stack((1.0 / (axial @ weight), f22 / determinant,",
        "return np.stack((1.0 / (axial @ weight), 1.01 * f22 / determinant,",
        ("unit/test_observe.py::test_portal_frame_against_slope_deflection", "beam-static"),
    ),
    Fault(
        "space: stiffness of torsion and of bending about y exchanged",
        SECTIONS,
        "self.torsional_stiffness, *bends])",
        "bends[0], self.torsional_stiffness, bends[1]])",
        ("unit/test_spatial_beams_in_use.py::test_tapered_rod_twists_as_the_integral_says", "princeton"),
    ),
    Fault(
        "space: moment linear along a chord forgotten (shear locks)",
        "elements/_sections.py",
        "L[:, None, None] ** 2 / 12.0",
        "L[:, None, None] ** 2 / 6.0",
        ("bend-45", "contract/test_spatial_beams.py::test_bend_of_45_degrees_in_one_load_step"),
    ),
    Fault(
        "Rayleigh α tripled",
        DAMPING,
        "return self.mass, self.stiffness",
        "return 3.0 * self.mass, self.stiffness",
        RAYLEIGH,
    ),
    Fault(
        "Rayleigh β halved",
        DAMPING,
        "return self.mass, self.stiffness",
        "return self.mass, 0.5 * self.stiffness",
        RAYLEIGH,
    ),
    Fault(
        "Rayleigh coefficients of two frequencies halved",
        DAMPING,
        "return 2.0 * ratio * w1 * w2 / (w1 + w2), 2.0 * ratio / (w1 + w2)",
        "return ratio * w1 * w2 / (w1 + w2), ratio / (w1 + w2)",
        ("unit/test_model_damping.py::test_ratio_holds_at_the_two_frequencies_and_is_exceeded_outside",),
    ),
    Fault(
        "Rayleigh α brakes rigid motion",
        "system/numbering.py",
        'beam.damping.relative_to == "beam"',
        'beam.damping.relative_to == "nothing"',
        ("regressions/test_rigid_motion_is_not_damped.py::test_a_leaf_that_swings_is_damped_by_its_material_only",),
    ),
)
