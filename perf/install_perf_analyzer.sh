#!/usr/bin/env bash
# Install NVIDIA's perf_analyzer into a folder, with nothing installed for the whole machine, as any
# user. The last line names the program.
#
#   perf/install_perf_analyzer.sh [FOLDER]       default: build/perf_analyzer of this repository
#
# It is built against glibc 2.38. Where glibc is older, as in Debian 12, it runs with the libraries
# of Debian 13, which apt fetches from the mirror of this machine and verifies; they stay in FOLDER.
# PYTHON names a Python with pip; default: python3. Exits 2 where it cannot be installed.
set -euo pipefail

release=2.60.0
wheel=perf_analyzer-$release-py3-none-manylinux_2_38_x86_64.whl
sha256=23ef56b107ae9233e5cf09fbdf508dd9b936a52f1bae2f63f53c8117087b3f25
needs_glibc=2.38
suite=trixie
libraries="libc6 libgcc-s1 libssl3t64 libstdc++6 libzstd1 zlib1g"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
python=${PYTHON:-python3}

case ${1:-} in -h|--help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
folder=${1:-$(dirname "$0")/../build/perf_analyzer}

refuse() { echo "install_perf_analyzer: $*" >&2; exit 2; }

# What the last two lines of a log say, in one.
ending() { awk 'NF { $1 = $1; print }' "$1" | tail -n 2 | paste -sd ' '; }

# Its own --version says 0.0.0 and a commit, so that the release is kept in a file.
runs() { "$folder/perf_analyzer" --version 2>&1 | grep -q '^Perf Analyzer Version'; }

wrapper() {
  {
    echo '#!/bin/sh'
    echo 'here=$(dirname "$(readlink -f "$0")")'
    echo "exec $1\"\$here/bin/perf_analyzer\" \"\$@\""
  } > "$folder/perf_analyzer"
  chmod +x "$folder/perf_analyzer"
}

fetch_program() {
  "$python" -m pip --version > /dev/null 2>&1 || refuse "$python has no pip"
  echo "perf-analyzer==$release --hash=sha256:$sha256" > "$work/requirements.txt"
  "$python" -m pip download --quiet --require-hashes --no-deps --only-binary=:all: \
    --platform manylinux_2_38_x86_64 --dest "$work" --requirement "$work/requirements.txt" \
    > "$work/log" 2>&1 || refuse "pip cannot download perf-analyzer $release: $(ending "$work/log")"
  "$python" -m zipfile -e "$work/$wheel" "$work/wheel"
  mkdir -p "$folder/bin"
  mv "$work/wheel/perf_analyzer/bin/perf_analyzer" "$work/wheel"/*.dist-info/licenses/LICENSE \
    "$folder/bin"
  chmod +x "$folder/bin/perf_analyzer"
}

# apt with lists, a cache and a state of its own. Proxies, credentials and keys stay the machine's;
# what it does after an update is left out, for that concerns the whole machine.
settings_of_apt() {
  mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
  : > "$work/apt/status"
  echo "deb [signed-by=$keys] $mirror $suite main" > "$work/apt/sources.list"
  cat > "$work/apt/apt.conf" << END
Dir::Etc::sourcelist "$work/apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "-";
Dir::State "$work/apt";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "2";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
END
}

fetch_libraries() {
  local why="perf_analyzer needs glibc $needs_glibc and this machine has $glibc" codename package
  command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null \
    || refuse "$why, and there is no apt to fetch the libraries with"
  codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") \
    || refuse "$why; newer libraries are fetched on Debian alone"
  mirror=$(apt-get indextargets --no-release-info --format '$(RELEASE) $(REPO_URI)' \
    'Created-By: Packages' 2> /dev/null | awk -v want="$codename" '$1 == want { print $2; exit }' || true)
  [ -n "$mirror" ] || refuse "$why, and apt has no source for $codename, whose mirror has $suite"
  [ -f "$keys" ] || refuse "$why, and Debian's keys are missing: the package debian-archive-keyring"
  settings_of_apt
  apt-get -c "$work/apt/apt.conf" update --error-on=any > "$work/log" 2>&1 \
    || refuse "$why, and apt cannot read $suite from its mirror: $(ending "$work/log")"
  (cd "$work" && apt-get -c "$work/apt/apt.conf" download $libraries) > "$work/log" 2>&1 \
    || refuse "$why, and apt cannot download the libraries: $(ending "$work/log")"
  for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
  rm -rf "$folder/lib"
  mv "$work/root/usr/lib/x86_64-linux-gnu" "$folder/lib"
}

[ "$(uname -sm)" = "Linux x86_64" ] || refuse "perf_analyzer is built for Linux on x86_64"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ "$(cat "$folder/release" 2> /dev/null)" = "$release" ] && runs; then
  echo "$folder/perf_analyzer"
  exit 0
fi
work=$(mktemp -d "$folder/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
glibc=$(getconf GNU_LIBC_VERSION 2> /dev/null | awk '{ print $2 }' || true)
[ -n "$glibc" ] || refuse "perf_analyzer needs glibc $needs_glibc, and this machine has another libc"
fetch_program
if [ "$(printf '%s\n' "$needs_glibc" "$glibc" | sort -V | head -n 1)" = "$needs_glibc" ]; then
  wrapper ''
else
  fetch_libraries
  wrapper '"$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" '
fi
if ! runs; then
  said=$("$folder/perf_analyzer" --version 2>&1 | head -n 1 || true)
  rm "$folder/perf_analyzer"
  refuse "perf_analyzer does not run here: $said"
fi
echo "$release" > "$folder/release"
echo "$folder/perf_analyzer"
