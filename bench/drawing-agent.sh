#!/bin/sh
# A session without a model. It fills its screen with coloured words and prints its name. If BENCH_LIVE is set, it draws
# that many times a second.
if [ "$1" = --version ]; then
  echo '2.1.329 (Claude Code)'
  exit 0
fi
[ -n "$BENCH_LIVE" ] && exec node "$(dirname "$0")/live-agent.mjs"
line() {
  row=
  for word in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    row="$row$(printf '\033[3%smword%-5s ' $((($1 + word) % 8)) $((($1 * 7 + word) % 1000)))"
  done
}
drawn=0
while [ $drawn -lt 49 ]; do
  drawn=$((drawn + 1))
  line $drawn
  printf '%s\033[0m\r\n' "$row"
done
printf 'I am %s.' "$BENCH_NAME"
exec sleep infinity
