"""The wheel as a user gets it: built, installed into an empty environment, used from there (`make wheel-test`)."""
