"""Grading a class of strangers' programs: answers put back onto the released notebook, each run in a sandbox.

What cannot be promised: hidden tests run in the same process as the student's code. They are not shown, neither before
nor in the feedback, but a program can be written that reads them. Canaries (canary.py) notice the usual ways of
bending a check; a note names what is worth a look by hand.
"""
