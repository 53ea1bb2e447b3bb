"""Parameters from measurements: closed forms, known truths with noise, and what others measured."""
