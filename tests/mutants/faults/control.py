"""Linear models, sampled controllers, observers, allocation, reduction."""

from tests.mutants.fault import Fault

SAMPLING, REGULATOR, OBSERVER = "solvers/sampling.py", "control/regulator.py", "control/observer.py"
LOOP = ("unit/test_closed_forms_of_control.py::test_a_sampled_loop_moves_by_its_recurrence",)

FAULTS = (
    Fault(
        "controller: delay ignored in motion",
        SAMPLING,
        "sampler.applied[i] = sampler.queue[(k + 1) % held, i]",
        "sampler.applied[i] = sampler.queue[k % held, i]",
        LOOP,
    ),
    Fault(
        "controller: gain of the wrong sign",
        "control/controller.py",
        "sample_time=sample_time, Dy=-K, Dr=K,",
        "sample_time=sample_time, Dy=K, Dr=-K,",
        LOOP,
    ),
    Fault(
        "controller: what is applied acts half a step late",
        "solvers/generalized_alpha.py",
        "hold(run.sampler, signals, k)\n                run.memory.jumped = 1.0",
        "hold(run.sampler, signals, k)\n                run.memory.jumped = 0.0",
        LOOP,
    ),
    Fault(
        "controller: readings cut off instead of rounded",
        SAMPLING,
        "np.rint(d[i] / law.quantum[i])",
        "np.floor(d[i] / law.quantum[i])",
        LOOP,
    ),
    Fault(
        "controller: quantisation ignored in simulation",
        "control/loop.py",
        "return np.where(coarse, step * np.round(y / step), y)",
        "return y",
        ("unit/test_controller.py::test_readings_are_rounded_to_whole_steps",),
    ),
    Fault(
        "controller: limits ignored in motion",
        SAMPLING,
        "sampler.issued[i] = min(max(total, low), high)",
        "sampler.issued[i] = total",
        LOOP,
    ),
    Fault(
        "LQR: weight of outputs halved",
        REGULATOR,
        "return C.T @ (W * C), C.T @ (W * D), R + D.T @ (W * D)",
        "return 0.5 * C.T @ (W * C), C.T @ (W * D), R + D.T @ (W * D)",
        ("lqr-theory", "unit/test_lqr.py::test_position_weight_alone_gives_a_butterworth_pair"),
    ),
    Fault(
        "LQR: feedback halved",
        "control/riccati.py",
        "return Solution(K / size,",
        "return Solution(0.5 * K / size,",
        ("unit/test_lqr.py::test_double_integrator",),
    ),
    Fault(
        "LQR: cost between samples not integrated",
        REGULATOR,
        "W = accumulated(F, np.block([[p.Q, p.N], [p.N.T, p.R]]), T)",
        "W = T * np.block([[p.Q, p.N], [p.N.T, p.R]])",
        ("unit/test_lqr.py::test_sampled_design_counts_the_cost_between_samples", "lqr-theory"),
    ),
    Fault(
        "Kalman filter: gain halved",
        OBSERVER,
        "L = np.linalg.solve(V if T is None else C @ P @ C.T + V, C @ P).T\n    return",
        "L = 0.5 * np.linalg.solve(V if T is None else C @ P @ C.T + V, C @ P).T\n    return",
        ("unit/test_observer.py::test_mass_seen_through_its_place",),
    ),
    Fault(
        "Kalman filter: density of the noise not squared",
        OBSERVER,
        "return B @ B.T",
        "return B @ model.B[:, at].T",
        ("lqr-theory", "unit/test_observer.py::test_the_promised_variance_is_what_a_run_shows"),
    ),
    Fault(
        "Luenberger observer: gain doubled",
        OBSERVER,
        "L = _placed(A, C, _wanted(poles, len(A)), T)",
        "L = 2.0 * _placed(A, C, _wanted(poles, len(A)), T)",
        ("unit/test_observer.py::test_gain_of_placed_poles_in_closed_form",),
    ),
    Fault(
        "allocation: lower bounds ignored",
        "control/allocation.py",
        'low = _bounds(owner, "lower", lower, names, -np.inf)',
        'low = _bounds(owner, "lower", -np.inf, names, -np.inf)',
        ("unit/test_allocation.py::test_tension_stays_positive_and_pretension_is_kept",),
    ),
    Fault(
        "allocation: weights ignored",
        "control/allocation.py",
        "matrix = v[:, None] * self.matrix / w",
        "w = np.ones_like(w)\n        matrix = v[:, None] * self.matrix / w",
        ("unit/test_allocation.py::test_without_bounds_it_is_the_weighted_pseudo_inverse",),
    ),
    Fault(
        "platform: stiffness of the wrong sign",
        "control/platform.py",
        "return wrench_map, found[:, inputs:], -held[:, inputs:]",
        "return wrench_map, found[:, inputs:], held[:, inputs:]",
        ("unit/test_platform.py::test_stiffness_is_elastic_and_geometric",),
    ),
    Fault(
        "discretisation: input matrix of the step's end",
        "control/linear_model.py",
        "B=moved[:n, n:], sample_time",
        "B=sample_time * self.B, sample_time",
        ("unit/test_linearise.py::test_sampling_a_double_integrator",),
    ),
    Fault(
        "frequency response: direct feedthrough left out",
        "control/linear_model.py",
        "self.B) + self.D",
        "self.B)",
        ("unit/test_closed_forms_of_control.py::test_response_of_a_lead",),
    ),
    Fault(
        "reduce: static part of the modes left out",
        "control/reduction.py",
        "direct = split.static(model) if static else 0.0",
        "direct = 0.0",
        ("unit/test_closed_forms_of_control.py::test_reduced_models_keep_their_static_gain",),
    ),
    Fault(
        "Craig-Bampton: static shapes with half of their motion",
        "control/reduction.py",
        "return np.hstack([static[:, : chosen.size], vectors]), static[:, chosen.size :]",
        "return np.hstack([static[:, : chosen.size] * 0.0 + 1.0, vectors]), static[:, chosen.size :]",
        ("unit/test_closed_forms_of_control.py::test_reduced_models_keep_their_static_gain",),
    ),
    Fault(
        "hinf: the worst disturbance expected with the wrong sign",
        "control/hinf.py",
        "A = self.A + self.B1 @ self.B1.T @ X / level**2 - L @ self.C2",
        "A = self.A - self.B1 @ self.B1.T @ X / level**2 - L @ self.C2",
        ("unit/test_hinf.py::test_the_worst_case_is_within_the_level_and_no_better_than_the_least",),
    ),
)
