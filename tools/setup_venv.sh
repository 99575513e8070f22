#!/usr/bin/env bash
# Make the private environment (argument: its folder) and install what pyproject.toml asks for.
set -euo pipefail
venv=$1
if [ ! -x "$venv/bin/python" ]; then
  if [ -z "${PYTHON:-}" ]; then
    echo "rocarray needs Python 3.11 or newer; none was found (set PYTHON=/path/to/python3)" >&2
    exit 1
  fi
  if ! "$PYTHON" -m venv "$venv"; then
    rm -rf "$venv"
    echo "could not make $venv; on Debian and Ubuntu: apt install python3-venv python3-dev" >&2
    exit 1
  fi
fi
if ! command -v "${CXX:-g++}" >/dev/null && ! command -v c++ >/dev/null; then
  echo "a C++17 compiler is needed; on Debian and Ubuntu: apt install g++" >&2
  exit 1
fi
if ! "$venv/bin/python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'; then
  echo "Python's headers are needed; on Debian and Ubuntu: apt install python3-dev" >&2
  exit 1
fi
requirements=$("$venv/bin/python" - <<'PY'
import tomllib

with open("pyproject.toml", "rb") as file:
    data = tomllib.load(file)
project = data["project"]
wanted = data["build-system"]["requires"] + project["dependencies"]
for extra in ("test", "lint", "demo"):
    wanted += project["optional-dependencies"][extra]
print("\n".join(dict.fromkeys(wanted)))
PY
)
echo "installing requirements into $venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r <(echo "$requirements")
