#!/usr/bin/env bash
# Chromium for the tests that need a browser, from the system's packages where they may be installed. Fails when there is none afterwards.
set -euo pipefail

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome-stable || command -v google-chrome; }

if ! browser >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
browser
