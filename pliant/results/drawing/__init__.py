"""Drawing of mechanisms: scenes, pictures, animations."""
