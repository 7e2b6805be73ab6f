#!/bin/sh
# A session without a model. It draws a prompt as Claude Code does, and then waits, so that only CBOS itself is
# measured.
if [ "$1" = --version ]; then
  echo '2.1.329 (Claude Code)'
  exit 0
fi
rule=$(printf '─%.0s' $(seq "$(tput cols)"))
printf ' Claude Code v2.1.329\r\n\r\n%s\r\n❯ \r\n%s\r\n  ? for shortcuts\033[2A\033[3G' "$rule" "$rule"
exec sleep infinity
