"""Benchmarks that have become slower: `make bench-check` times them and compares them with those kept earlier."""
