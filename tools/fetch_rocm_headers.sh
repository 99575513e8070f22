#!/usr/bin/env bash
# Puts the real HIP headers of Debian's packages into a folder; installs nothing.
#
#     tools/fetch_rocm_headers.sh FOLDER [SUITE]     SUITE: sid (ROCm 6.4, default) or trixie (5.7)
set -euo pipefail
folder=$1
suite=${2:-sid}
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
folder=$(cd "$folder" && pwd)
[ -e "$folder/$suite/usr/include/hip/hip_runtime_api.h" ] && exit 0

# The mirror that this machine's own configuration names, with another suite.
mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -m 1 'debian$') || {
  echo "fetch_rocm_headers: no Debian mirror is configured here" >&2
  exit 1
}
echo "deb [trusted=yes] $mirror $suite main" >"$folder/apt/sources.list"
options=(-o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache"
  -o APT::Get::List-Cleanup=0 -o Acquire::Languages=none)
apt-get "${options[@]}" -qq update
(
  cd "$folder/apt"
  apt-get "${options[@]}" -qq download libamdhip64-dev
  for package in *.deb; do
    dpkg -x "$package" "$folder/$suite"
    rm "$package"
  done
)
[ -e "$folder/$suite/usr/include/hip/hip_runtime_api.h" ]
