#!/bin/sh
# Stands for Claude Code where only its processes matter: it has a child in its own process group, and one that left the session.
if [ "$1" = --version ]; then
  echo '2.1.329 (Claude Code)'
  exit 0
fi
printf 'stub agent\r\n'
sleep 1000 &
setsid sleep 1000 &
wait
