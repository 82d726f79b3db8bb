"""Grading a class of strangers' programs: answers put back onto the released notebook, each run in a sandbox.

What is not promised:

- Hidden tests run in the same process as the student's code. They are not shown, neither before nor in the feedback,
  but a program can be written that reads them and sends its points off by itself. Canaries (canary.py) notice the usual
  ways of bending a check, and notes name what is worth a look; neither replaces the look.
- The library is there to be read, the references of its checks too. An answer that imports course_lib.checks is noted.
- A check that compares with == alone believes an object that claims to equal everything.
- The sandbox is bubblewrap's: it stands or falls with the system's kernel. Memory of the kernel itself (many small
  files, buffers of sockets) is limited in number only. On a machine where that matters, grade in a virtual machine.
- Without a sandbox a hand-in can do all that its grader can; time, memory and left-over processes are looked after.
- An assignment is one notebook. Files that lie beside it are not given to it.
"""
