"""Evidence on actuation: motors with gear boxes, brakes, play, linkages."""
