#!/usr/bin/env bash
# The tests over builds whose C++ parts carry sanitizers, each in a copy of the tree under
# build/sanitize. SANITIZERS chooses (default: address and undefined behaviour, then threads).
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
python=$top/.venv/bin/python
status=0

run_tests() { # kind, runtime library, tests...
  local kind=$1 library=$2
  shift 2
  local copy=$top/build/sanitize/${kind//,/_}
  mkdir -p "$copy"
  git ls-files -co --exclude-standard -z | tar --null -T - --ignore-failed-read -cf - | tar xf - -C "$copy"
  # Kernels are compiled without sanitizers: the packs of the plain build serve.
  mkdir -p "$copy/rocarray/_kernels/packs"
  cp -p rocarray/_kernels/packs/*.pack "$copy/rocarray/_kernels/packs/" 2>/dev/null || true
  (
    cd "$copy"
    ROCARRAY_SANITIZE=$kind ROCARRAY_PACKS='' "$python" setup.py --quiet build_ext --inplace
    touch rocarray/_kernels/packs/*.pack 2>/dev/null || true
    LD_PRELOAD=$(${CXX:-g++} -print-file-name="$library") \
      ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0 \
      UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
      TSAN_OPTIONS="suppressions=$top/tools/tsan_suppressions.txt:history_size=4" \
      PYTHONMALLOC=malloc "$python" -m pytest -q -p no:xdist --timeout 1200 "$@"
  ) || status=1
}

for kind in ${SANITIZERS:-address,undefined thread}; do
  case $kind in
    thread) run_tests thread libtsan.so tests/core tests/hip ;;
    *) run_tests "$kind" libasan.so tests ;;
  esac
done
exit $status
