#!/bin/sh
# Stands in for Claude Code where only its processes matter. It has one child in its own process group and another one
# that left the process session.
if [ "$1" = --version ]; then
  echo '2.1.329 (Claude Code)'
  exit 0
fi
printf 'stub agent\r\n'
sleep 1000 &
setsid sleep 1000 &
wait
