#!/usr/bin/env bash
# The tests on AMD's own, unmodified HIP runtime and hipRTC, on an emulated GPU: one with wave32
# (gfx1100), one with wave64 (gfx90a). Arguments: what pytest runs (default: what AMD_TESTS says).
# Kernels are compiled one by one there, so AMD_CASES (4; 0 for all) cases of each test must do.
#
# ROCARRAY_AMDEMU names the folder of the emulator (the one with `amdrun`). Without it, a copy in
# build/amdemu is used, or made from a folder `rocm/amdemu` beside the checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
targets=${AMD_TARGETS:-gfx1100 gfx90a}
tests=${AMD_TESTS:-tests/kernels tests/core tests/hip tests/test_bad_input.py tests/test_examples.py}
python=$PWD/.venv/bin/python

set_up() { # copies the emulator, fetches AMD's libraries, builds: once, about a minute
  local folder=$1 origin
  origin=$(find -L .. -maxdepth 4 -path '*/rocm/amdemu/amdrun' -not -path '*/build/*' 2>/dev/null | head -n 1)
  [ -n "$origin" ] || return 1
  mkdir -p build
  cp -r "$(dirname "$origin")" "$folder"
  chmod -R u+w "$folder"
  (
    cd "$folder"
    "$python" -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
    ./fetch.sh rocm hip
    venv/bin/python -m amdemu build
  )
}

emulator=${ROCARRAY_AMDEMU:-$PWD/build/amdemu}
if [ ! -e "$emulator/build/lib/libhsa-runtime64.so.1" ]; then
  if [ -n "${ROCARRAY_AMDEMU:-}" ] || ! set_up "$emulator"; then
    echo "test-amd: NOT RUN, there is no AMD GPU emulator here (set ROCARRAY_AMDEMU to the folder of amdrun)"
    exit 0
  fi
fi

export ROCARRAY_TEST_LAUNCHER=$emulator/amdrun ROCARRAY_PLATFORM=amd ROCARRAY_CACHE_DIR=$PWD/build/amd_cache
status=0
running=()
mkdir -p build/amd_logs
existing=()
for path in "${@:-$tests}"; do for word in $path; do [ ! -e "${word%%::*}" ] || existing+=("$word"); done; done
for target in $targets; do
  EMU_GFX=$target EMU_THREADS=1 "$emulator/amdrun" "$python" -m pytest -q -p no:xdist -p no:randomly \
    -p no:cacheprovider --timeout 600 --cases "${AMD_CASES:-4}" "${existing[@]}" >"build/amd_logs/$target.txt" 2>&1 &
  running+=("$!:$target")
done
for entry in "${running[@]}"; do
  wait "${entry%%:*}" || status=1
  echo "== ${entry##*:}"
  tail -n 15 "build/amd_logs/${entry##*:}.txt"
done
exit $status
