#!/bin/sh
# Installs the Debian packages of the lists given as arguments that are missing. Says what it installs; uses sudo when not root.
set -eu
missing=
for list in "$@"; do
  while read -r package condition; do
    case "$package" in ''|'#'*) continue ;; esac
    case "$condition" in command:*) command -v "${condition#command:}" >/dev/null 2>&1 && continue ;; esac
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
  done < "$list"
done
[ -n "$missing" ] || exit 0
echo "Installing Debian packages:$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "setup: these packages are missing and there is no sudo; run as root: apt-get install$missing" >&2; exit 1; }
  as_root=sudo
fi
$as_root apt-get update -q
# shellcheck disable=SC2086  # the list is meant to be split
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
