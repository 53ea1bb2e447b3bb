"""Studies: one analysis at many points, on any number of workers, into one store (docs/studies.md).

    design ─► points ─► batches ─► workers: Job ─► rows (lines of JSON) ─► Ledger: arrays in memory, or a zarr store
                                      │                                      ▲
                                      └────────► journal, a line a run ──────┘ after a kill

Runs are independent: a result depends on its point alone, not on the worker.
"""
