"""Checks that tell a student what went wrong. One file per chapter: references, known misconceptions, what to say.

from course_lib.checks.chapter_00 import check_softmax

check_softmax(my_softmax)
"""
