"""The small library of the course on attention. Guess the room from its name; see README.md for the plan."""
