"""Names that other programs use for parts and functions of pliant."""

from __future__ import annotations

MEANT = {
    "Weld": "clamp fixed fixedjoint encastre rigidconnection",
    "Revolute": "pin hinge hingejoint pivot",
    "Spherical": "ball balljoint sphericaljoint socket",
    "Prismatic": "translational slide slidejoint translationaljoint linearguide",
    "Universal": "cardan hooke",
    "Body": "rigidbody rigid platform",
    "PointMass": "mass lumpedmass",
    "Link": "bar crank lever",
    "Beam": "leaf leafspring flexure flexiblebody flexiblelink strut cantilever",
    "Tendon": "cable rope wire string",
    "Dashpot": "damper",
    "TorsionSpring": "rotationalspring torsionalspring angularspring",
    "Motor or Moment": "torque",
    "Motor or Motion": "actuator",
    "Motion": "drive driver prescribedmotion servo",
    "Stop or Contact": "endstop limit limits wall hardstop",
    "Ramp": "step steps smoothstep stepsignal",
    "Expression": "formula",
    "statics": "equilibrium solve fsolve",
    "transient": "simulate simulation dynamics integrate run ode45",
    "modal": "modes eig eigs eigenmodes eigenvalues eigenfrequencies frequencies vibration",
    "path": "buckling continuation buckle arclength riks loadcurve",
    "linearise": "linearize linmod ss statespace",
    "optimise": "optimize fmincon",
    "luenberger": "place acker observer",
    "lqr": "dlqr lqi",
    "stiffness": "compliance stiffnessmatrix compliancematrix",
    "animate": "animation movie video",
    "plot_bode": "bode",
    "plot_root_locus": "rlocus root_locus",
    "plot_nyquist": "nyquist",
    "plots.plot_shape": "plot draw plot_shape plot_model",
    "plots.plot_history": "plot_history plot_time",
    "plots.plot_path": "plot_path",
    "plots.plot_modes": "plot_modes",
    "plots.plot_energy": "plot_energy",
    "plots.plot_resultants": "plot_resultants plot_moments",
    "plots.plot_overlay": "plot_overlay",
}
"""Names in pliant, and the words of other programs for them, in lower case."""


def meant(word: str) -> str | None:
    """Return a hint, for an error message, with pliant's name for a word of another program; None if unknown.

    >>> meant("Clamp"), meant("ode45"), meant("Zebra")
    ('It is called pl.Weld here.', 'It is called pl.transient here.', None)
    """
    ours = next((name for name, others in MEANT.items() if word.lower() in others.split()), None)
    return f"It is called {' or '.join(f'pl.{each}' for each in ours.split(' or '))} here." if ours else None
