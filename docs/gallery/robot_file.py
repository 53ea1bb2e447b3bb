"""A robot from a URDF file, with one arm that bends

`pl.load_urdf` reads the rigid robot and lists what it did not take; `pl.with_beams` makes one of its links a slender
tube. Its second frequency falls from 21 Hz to 2 Hz.
"""

from pathlib import Path
from tempfile import mkdtemp

import pliant as pl

INERTIA = '<mass value="1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/>'
BAR = '<link name="{0}"><inertial><origin xyz="0.3 0 0"/>' + INERTIA + "</inertial><visual/></link>"
ENDS = '<parent link="{2}"/><child link="{3}"/><axis xyz="0 1 0"/>'
PIN = '<joint name="{0}" type="continuous"><origin xyz="{1}"/>' + ENDS + "</joint>"
path = Path(mkdtemp()) / "arm.urdf"
path.write_text(
    '<robot name="arm"><link name="base"/>'
    + BAR.format("upper")
    + BAR.format("lower")
    + PIN.format("shoulder", "0 0 1", "base", "upper")
    + PIN.format("elbow", "0.6 0 0", "upper", "lower")
    + "</robot>"
)
found = pl.load_urdf(path)
print(found.left_out)
for name in ("shoulder", "elbow"):  # springs in the place of motors that hold the arm up
    joint = found.model.part(name)
    found.model.add(pl.TorsionSpring(f"{name} motor", joint.a, joint.b, 400.0, axis=joint.axis))

soft = pl.with_beams(found.model, {"upper": pl.Section.tube(6e-3, 5e-3, pl.ALUMINIUM)})
shapes = {}
for label, model in (("rigid", found.model), ("flexible", soft)):
    system = pl.compile(model, elements=4)
    rest = shapes[label] = pl.statics(system)
    modes = pl.modal(system, at=rest, modes=2)
    print(f"{label}: {modes.frequency_hz.values.round(2)} Hz")

pl.plots.plot_overlay(shapes, view="xz")
