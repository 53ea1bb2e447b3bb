"""Studies: one question at many points, on any number of workers, into one store (docs/studies.md).

    design ─► points ─► batches ─► workers: Job ─► rows (lines of JSON) ─► Ledger: arrays in memory, or a zarr store
                                      │                                      ▲
                                      └────────► journal, a line a run ──────┘ after a kill

A run does not know other runs: what it finds depends on its point alone, whoever computes it.
"""
