"""Whether Newton's method carries the stresses of beams on from increment to increment, in steps of generalized-alpha.

The geometric stiffness is made of stresses. A predicted state may stretch a stiff axis (large EA) far more than it is
at the end of the step, and its stresses spoil the tangent. Stresses that are carried on,

    s := C (strain(q) + B(q) dq)    with every increment dq, from the end of the step before,

are nearer to those at the end, and Newton takes fewer increments (mixed integration points: D. Magisano, L. Leonetti,
G. Garcea, Int. J. Numer. Meth. Engng. 109, 2017); the forces are those of the state in any case. Carrying takes time,
which is lost where one increment is enough. So both ways are tried, and the one that took less goes on.
"""

from __future__ import annotations

from pliant._jit import kernel, lazy_kernel
from pliant.solvers.alpha_run import Memory, Run
from pliant.system import fused

TRIED, LONGEST = 16.0, 1024.0  # steps in which a way is tried, and after which at the latest the other is tried again
COST = 1.12  # of an increment with stresses carried on, over one without
FEW = 1.25  # increments a step, of which none could be spared


@kernel
def choose(memory: Memory, increments: int) -> None:
    """Take up how many increments a step took, and change the way where the other one took less, or is not known. The
    longer a way has been the better one, the later the other is tried again.
    """
    memory.steps += 1.0
    memory.increments += increments
    if memory.steps < (TRIED if memory.rival > 0.0 else max(TRIED, memory.stays)):
        return
    spent = memory.increments / memory.steps * (COST if memory.carried > 0.0 else 1.0)
    memory.steps = memory.increments = 0.0
    if memory.rival == 0.0:
        if spent > FEW:
            memory.rival, memory.carried = spent, 1.0 - memory.carried
        return
    if spent < memory.rival:
        memory.stays = 4.0 * TRIED
    else:
        memory.stays, memory.carried = min(max(2.0 * memory.stays, 4.0 * TRIED), LONGEST), 1.0 - memory.carried
    memory.rival = 0.0


@lazy_kernel
def begin(run: Run) -> None:
    """The stresses before a step."""
    nothing = run.scratch.trial
    nothing[:] = 0.0
    fused.stretch(run.equations.parts, run.old.q, nothing, run.scratch.stress)


@lazy_kernel
def carry(run: Run) -> None:
    """The stresses after an increment, which is in ``scratch.step`` and not taken yet."""
    fused.stretch(run.equations.parts, run.state.q, run.scratch.step, run.scratch.stress)
