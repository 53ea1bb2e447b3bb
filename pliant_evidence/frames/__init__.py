"""Large welded frames."""
