"""Evidence on docking: contact with a robot's platform."""
