#!/bin/bash
# A session without a model that behaves like Claude Code on the wire: it draws a prompt and a spinner, fires its hooks
# and keeps its registry file. It takes 4 MB, so that hundreds fit on one machine.
#
# BENCH_DIR       where the agent creates the FIFO NAME.fifo; for each line with a number it runs that many turns, and
#                 writes every change into the file NAME.changes
# BENCH_NAME      its name
# BENCH_HOOKS     where the commands of the hooks are, one file for each event
if [ "$1" = --version ]; then
  echo '2.1.330 (Claude Code)'
  exit 0
fi
conversation=
while [ $# -gt 0 ]; do
  [ "$1" = --session-id ] && conversation=$2
  shift
done
stty -echo -icanon
size=$(stty size)
printf -v rule '%*s' "${size#* }" ''
rule=${rule// /─}
read -r stat </proc/$$/stat
stat=(${stat##*) })
# Field 22 of the file, counted from the field after the program's name.
started=${stat[19]}
registry=$HOME/.claude/sessions
mkdir -p "$registry"
mkfifo "$BENCH_DIR/$BENCH_NAME.fifo"
# Open for reading and writing, the FIFO never ends, so that `read -t` is a pause that starts no process.
exec 3<>"$BENCH_DIR/$BENCH_NAME.fifo"

pause() { read -r -t "$1" -u 3; }
now_ms() { ms=${EPOCHREALTIME/./}; ms=${ms%???}; }
changed() { printf '%s %s\n' "$EPOCHREALTIME" "$1" >>"$BENCH_DIR/$BENCH_NAME.changes"; }
register() {
  now_ms
  printf '{"pid":%d,"sessionId":"%s","cwd":"%s","procStart":"%s","version":"2.1.330","kind":"interactive","status":"%s","statusUpdatedAt":%s}' \
    $$ "$conversation" "$PWD" "$started" "$1" "$ms" >"$registry/$$.json"
}
# fire EVENT FIELDS: runs the event's hook as Claude Code does, through a shell, with the payload on standard input.
fire() {
  printf '{"hook_event_name":"%s","session_id":"%s","cwd":"%s"%s}' "$1" "$conversation" "$PWD" "$2" |
    sh -c "$(<"$BENCH_HOOKS/$1")"
}
draw() {
  printf '\033[H\033[2J%s\r\n\r\n%s\r\n❯ \r\n%s\r\n  ⏸ manual mode on%s\033[4;3H' "$1" "$rule" "$rule" "$2"
}
spin() {
  for ((frame = 1; frame <= $1; frame++)); do
    draw "✻ Pondering… (${frame}s · ↓ $((frame * 7)) tokens)" ' · esc to interrupt'
    pause 0.1
  done
}
turn() {
  changed active/thinking
  fire UserPromptSubmit ',"prompt":"work"'
  register busy
  spin 10
  tool=toolu_${EPOCHREALTIME/./}
  changed active/using_tools
  fire PreToolUse ',"tool_name":"Read","tool_input":{"file_path":"README.md"},"tool_use_id":"'$tool'"'
  spin 5
  changed active/thinking
  fire PostToolUse ',"tool_name":"Read","tool_input":{"file_path":"README.md"},"tool_response":{},"tool_use_id":"'$tool'"'
  spin 5
  changed idle/waiting_input
  fire Stop ',"last_assistant_message":"Done."'
  draw '● Done.' ''
  register idle
}

fire SessionStart ',"source":"startup"'
register idle
draw ' Claude Code v2.1.330' ''
while read -r -u 3 turns; do
  # The agents must not work in step.
  pause "0.$((RANDOM % 900 + 100))"
  for ((count = 1; count <= turns; count++)); do
    turn
    pause "0.$((RANDOM % 900 + 100))"
  done
  changed finished
done
