#!/usr/bin/env bash
# Claude Code 2.1.332 in a terminal: a prompt that is typed during a turn runs the UserPromptSubmit hook at once, with the
# `prompt_id` of the turn that is running. When that turn is over, the queued prompt begins a turn of its own, with an id
# of its own, and no UserPromptSubmit. The Stop hook of the second turn therefore names a prompt that no hook has
# announced, and the Stop hook of the first turn comes after the second prompt's UserPromptSubmit.
#
# A program that takes the first Stop after a UserPromptSubmit for the end of that prompt's turn is one turn early. One
# that pairs the hooks by `prompt_id` never sees the end of the second prompt.
#
# Needs: npm, Node 20 or later, tmux, Linux x64 or arm64. Nothing leaves this machine except the download of the package.
set -euo pipefail

VERSION=2.1.332
dir=$(mktemp -d)
server=
export TMUX_TMPDIR=$dir
trap 'tmux kill-server 2>/dev/null || true; [ -z "$server" ] || kill "$server" 2>/dev/null || true; sleep 0.5; rm -rf "$dir"' EXIT
cd "$dir"

arch=$(node -p process.arch)
npm install --silent --no-save --ignore-scripts --prefix . "@anthropic-ai/claude-code-linux-$arch@$VERSION" >&2
claude="$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude"

# A stand-in for the Messages API: the answer to the first prompt comes once the second prompt has been announced.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
const announced = () => readFileSync('hooks', 'utf8').split('\n').filter((line) => line.includes('UserPromptSubmit')).length;
createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const { messages = [], tools = [], stream = false } = body === '' ? {} : JSON.parse(body);
  const all = JSON.stringify(messages);
  const isSecond = all.includes('PROMPT-TWO');
  if (all.includes('PROMPT-ONE') && !isSecond && tools.length > 0) {
    writeFileSync('asked', '');
    while (announced() < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const text = tools.length === 0 ? 'a title' : isSecond ? 'answer two' : 'answer one';
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
    stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn' }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  send({ type: 'message_start', message });
  send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  send({ type: 'content_block_stop', index: 0 });
  send({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } });
  send({ type: 'message_stop' });
  response.end();
}).listen(0, '127.0.0.1', function () { writeFileSync('port.new', String(this.address().port)); });
JS
mkdir -p home/.claude work
touch hooks
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done

key=sk-ant-stand-in-0000000000000000000000000000
cat > home/.claude.json <<JSON
{ "hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": { "approved": ["${key: -20}"], "rejected": [] },
  "projects": { "$dir/work": { "hasTrustDialogAccepted": true } } }
JSON
hook="[{ \"hooks\": [{ \"type\": \"command\", \"command\": \"tr -d '\\\\n' >> $dir/hooks; echo >> $dir/hooks\" }] }]"
echo "{ \"disableAutoMode\": \"disable\", \"hooks\": { \"UserPromptSubmit\": $hook, \"Stop\": $hook } }" > home/.claude/settings.json
tmux new-session -d -x 100 -y 30 -c "$dir/work" "env -i PATH='$PATH' HOME='$dir/home' LANG=C.UTF-8 TERM=xterm-256color SHELL=/bin/sh \
  TMPDIR='$dir' ANTHROPIC_BASE_URL=http://127.0.0.1:$(cat port.new) ANTHROPIC_API_KEY=$key DISABLE_TELEMETRY=1 \
  DISABLE_ERROR_REPORTING=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 '$claude'"

# Waits until a command succeeds, for a minute at most.
until_true() { for _ in $(seq 600); do if "$@"; then return; fi; sleep 0.1; done; tmux capture-pane -p; echo "not so: $*"; exit 1; }
shows() { tmux capture-pane -p | grep -q -- "$1"; }
has_hooks() { [ "$(wc -l < hooks)" -ge "$1" ]; }
until_true shows '❯'
tmux send-keys -l PROMPT-ONE; until_true shows PROMPT-ONE; tmux send-keys Enter
until_true test -e asked
tmux send-keys -l PROMPT-TWO; until_true shows PROMPT-TWO; tmux send-keys Enter
until_true has_hooks 4

# Prints each hook with a letter for its prompt_id.
node -e '
const letters = new Map();
for (const line of require("fs").readFileSync("hooks", "utf8").trim().split("\n")) {
  const { hook_event_name: hook, prompt_id: id, prompt, last_assistant_message: said } = JSON.parse(line);
  if (!letters.has(id)) letters.set(id, "ABCD"[letters.size]);
  console.log(`${hook} ${letters.get(id)}: ${prompt ?? said}`);
}' > seen
echo "Claude Code $VERSION"
cat seen
diff - seen <<'TEXT'
UserPromptSubmit A: PROMPT-ONE
UserPromptSubmit A: PROMPT-TWO
Stop A: answer one
Stop B: answer two
TEXT
