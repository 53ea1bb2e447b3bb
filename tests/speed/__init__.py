"""What has become slower: `make bench-check` times benchmarks and compares them with those kept earlier."""
