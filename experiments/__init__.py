"""The experiments behind the chapters: `make claims` trains them and writes chapter_NN.json and docs/claims.md.

A module chapter_NN.py defines EXPERIMENTS, {name: (function of a seed that yields a row for each model, settings)}, and
CLAIMS, a list of (number, claim, finding, function that returns what was measured in words).
"""
