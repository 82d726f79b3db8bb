# Two commands are enough: `make lab` and `make test`. Everything they do is in scripts/environment.py.
# To use an environment of your own (conda, Windows, JupyterHub): make test PYTHON_ENV=python

PYTHON ?= $(or $(PYTHON_ENV),python3)
PORT ?= 8888
export PYTHON_ENV
ENV = $(PYTHON) scripts/environment.py
.PHONY: help lab test notebooks exercises work grade feedback site data pretrained claims bench lock

help: ## this list
	@$(ENV) targets

lab: ## JupyterLab, open on the first chapter (PORT=8889, LAB_FLAGS=--no-browser)
	@$(ENV) lab $(PORT) $(LAB_FLAGS)

test: ## style, unit tests, chapters, solutions, browser tests (ONLY=tests/data runs a part)
	@$(ENV) test $(ONLY)

notebooks: ## run the chapters and write them back with their outputs, cleaned (ONLY=02)
	@$(ENV) python scripts/notebooks.py $(ONLY)

exercises: ## generate exercises/ from solutions/
	@$(ENV) python -m scripts.exercises

work: ## your own copies of the exercises, in work/, and new releases into them; answers stay (make lab does it too)
	@$(ENV) python -m scripts.work

grade: ## grade a class in a sandbox: ASSIGNMENT=02 FROM=hand-ins (TO=graded JOBS=2 SCHEDULER=tcp://… SANDBOX=none)
	@$(ENV) python -m grading grade --assignment "$(ASSIGNMENT)" --from "$(FROM)" --to "$(or $(TO),graded)" \
	  $(if $(JOBS),--jobs $(JOBS)) $(if $(SCHEDULER),--scheduler $(SCHEDULER)) $(if $(SANDBOX),--sandbox $(SANDBOX)) $(LIMITS)

feedback: ## feedback and table once more, with the points given by hand: ASSIGNMENT=02 (TO=graded)
	@$(ENV) python -m grading feedback --assignment "$(ASSIGNMENT)" --to "$(or $(TO),graded)"

site: ## build the whole course as pages for a browser, in site/: no network, no Python
	@$(ENV) python scripts/website.py

data: ## fetch the larger data sets, which no chapter needs (FROM=folder takes them from there)
	@$(ENV) python -m course_lib.data.corpora $(if $(FROM),--from "$(FROM)")

pretrained: ## install a real pretrained Transformer (84 MB), to run live what chapters show; no chapter needs it
	@$(ENV) python -m scripts.pretrained

claims: ## train every seed of the ledger's claims: about half an hour (ONLY=dates)
	@$(ENV) python -m scripts.claims $(ONLY)

bench: ## measure speed, side by side with other implementations
	@$(ENV) python -m scripts.bench $(ONLY)

lock: ## take the newest versions of all packages, and write requirements.lock
	@$(ENV) python scripts/lock.py
