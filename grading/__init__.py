"""Grade a class: answers are merged into the released notebook, and each notebook runs in a sandbox.

Limits:

- Hidden tests run in the same process as the student's code. Neither the release nor the feedback
  shows them, but a program can read them or award itself points. Probes (probe.py) detect the usual ways of tampering
  with a check, and notes name what an instructor should review. Neither replaces the review.
- Students can read the library, including the reference solutions of its checks. Importing course_lib.checks is noted.
- A check that compares with == alone accepts an object whose __eq__ always returns True.
- The sandbox is bubblewrap and relies on the Linux kernel. Kernel memory (many small files, socket buffers) is limited
  only by count. Where that matters, grade in a virtual machine.
- Without a sandbox a submission has the grader's rights. Limits on time and memory still hold, and its processes end.
- An assignment is one notebook. Files beside it are not available to it.
"""
