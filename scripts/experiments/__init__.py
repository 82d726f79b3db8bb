"""What `make claims` measures, a module for each chapter.

EXPERIMENTS is {name: (function of a seed that yields a row for each model, settings)}; CLAIMS are the chapter's lines
of the ledger: (number, the claim, chapter, verdict, function that returns what was measured, in words).
"""
