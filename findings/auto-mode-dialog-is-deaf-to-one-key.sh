#!/usr/bin/env bash
# Claude Code 2.1.332 and GNU Screen: without settings, Claude Code starts in auto mode. If its requests go through a
# gateway that does not pass the safety check of auto mode through, a dialog asks what to do: "Enter to stay in auto mode ·
# shift+Tab to leave for accept edits mode and stop · Esc to cancel".
#
# Enter works almost at once. shift+Tab does nothing for the first 0.6 seconds, and nothing shows that a key was dropped. A
# program that drives the dialog through a terminal, and presses each key once because a second shift+Tab would change the
# permission mode again, waits for ever.
#
# Needs: npm, Node 20 or later, GNU Screen, Linux x64 or arm64. Nothing leaves this machine except the download.
set -euo pipefail
VERSION=2.1.332
dir=$(mktemp -d)
server=
export SCREENDIR=$dir/screens
quit() { screen -S "$1" -X quit > /dev/null 2>&1 || true; }
trap 'for one in early late enter; do quit "$one"; done; [ -z "$server" ] || kill "$server" 2>/dev/null || true; sleep 1; rm -rf "$dir"' EXIT
cd "$dir"
mkdir -m 700 screens
mkdir -p home/.claude work
arch=$(node -p process.arch)
npm install --silent --no-save --ignore-scripts --prefix . "@anthropic-ai/claude-code-linux-$arch@$VERSION" >&2

# A stand-in for the Messages API, which knows no safety check. It asks for one command outside the project, then answers.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const blockFor = ({ messages = [], tools = [] }) => {
  const said = JSON.stringify(messages);
  return tools.length === 0 || !said.includes('go on') || said.includes('tool_result')
    ? { type: 'text', text: 'done' }
    : { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'touch ../marker', description: 'Mark' } };
};
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const asked = body === '' ? {} : JSON.parse(body);
    const block = blockFor(asked);
    const stop = block.type === 'text' ? 'end_turn' : 'tool_use';
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
      stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    if (!asked.stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...message, content: [block], stop_reason: stop }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const isText = block.type === 'text';
    for (const event of [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } },
      { type: 'content_block_delta', index: 0, delta: isText ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
}).listen(0, '127.0.0.1', function () { writeFileSync('port.new', String(this.address().port)); });
JS
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done
key=sk-ant-stand-in-0123456789-0123456789
node -e '
  const [key, work] = process.argv.slice(1);
  console.log(JSON.stringify({ hasCompletedOnboarding: true, theme: "dark",
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] }, projects: { [work]: { hasTrustDialogAccepted: true } } }));
' "$key" "$(cd work && pwd -P)" > home/.claude.json
cat > start.sh <<SH
sleep 1
cd '$dir/work'
exec env -i PATH="$PATH" HOME='$dir/home' TERM=screen LANG=C.UTF-8 ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat port.new)" \\
  ANTHROPIC_API_KEY=$key CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 \\
  DISABLE_AUTOUPDATER=1 '$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude'
SH

shown() { screen -S "$1" -X hardcopy "$dir/$1.txt" > /dev/null || true; sleep 0.03; grep -qa -- "$2" "$dir/$1.txt" 2> /dev/null; }
until_shown() { for _ in $(seq 400); do if shown "$1" "$2"; then return; fi; sleep 0.02; done; cat "$dir/$1.txt" >&2; exit 1; }

# Opens the dialog, waits, presses the key, and prints whether the dialog is still there 3 s later.
try() { # NAME SECONDS KEY WORDS
  screen -U -dmS "$1" bash start.sh
  for _ in $(seq 200); do if screen -S "$1" -X height -w 45 110 > /dev/null; then break; fi; sleep 0.05; done
  until_shown "$1" 'shift+tab to cycle'
  screen -S "$1" -X stuff 'go on'
  until_shown "$1" 'go on'
  sleep 0.3
  screen -S "$1" -X stuff $'\r'
  until_shown "$1" 'Enter to stay in auto mode'
  sleep "$2"
  screen -S "$1" -X stuff "$3"
  sleep 3
  if shown "$1" 'Enter to stay in auto mode'; then echo "$4: the dialog is still open"; else echo "$4: the dialog is gone"; fi
  quit "$1"
}
{
  try enter 0.25 $'\r' 'Enter, after 0.25 seconds'
  try early 0.25 $'\e[Z' 'shift+Tab, after 0.25 seconds'
  try late 2 $'\e[Z' 'shift+Tab, after 2 seconds'
} > seen
echo "Claude Code $VERSION"
cat seen
diff - seen <<'TEXT'
Enter, after 0.25 seconds: the dialog is gone
shift+Tab, after 0.25 seconds: the dialog is still open
shift+Tab, after 2 seconds: the dialog is gone
TEXT
