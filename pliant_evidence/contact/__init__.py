"""Cost of rigid contacts: balls on a floor, balls on each other, a beam on a floor."""
