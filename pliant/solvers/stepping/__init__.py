"""Motion in time: generalized-alpha, drivers of steps, starts, sampled controllers."""
