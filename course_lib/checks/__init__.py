"""Checks that name the likely mistake in an answer: one package per chapter, one module per exercise or two."""
