#!/bin/sh
# A session without a model that says its name, or with BENCH_LIVE draws as often a second: a spinner and its clock, and a line of
# coloured words below all others, which scrolls them.
if [ "$1" = --version ]; then
  echo '2.1.329 (Claude Code)'
  exit 0
fi
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
while [ -n "$BENCH_LIVE" ]; do
  drawn=$((drawn + 1))
  printf '\033[50;1H%s\033[0m\r\n\033[3;1H\033[35m✻\033[39m Garnishing… (%ss)' "$row" $drawn
  sleep "$BENCH_LIVE"
done
exec sleep infinity
