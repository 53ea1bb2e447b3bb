"""The continuum Stewart-Gough robot."""
