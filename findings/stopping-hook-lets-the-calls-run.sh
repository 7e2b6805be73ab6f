#!/usr/bin/env bash
# Claude Code 2.1.332, `claude -p --output-format json`: a `PreToolUse` hook that prints `{"continue": false}` ends the
# turn, but not the calls. The model had asked for two commands in one message, and both run to their end, also the one
# before which the hook said stop: only a denial prevents a call. What follows is a `result` with
# `subtype: "success"`, `is_error: false` and `result: ""`, without the hook's `stopReason`, and the exit code 0. The text
# that the model wrote before the calls is not in it either. Only `terminal_reason: "hook_stopped"` shows what happened. A
# `Stop` hook that prints the same is told apart (`stop_hook_prevented`), and there the result has the answer.
#
# A client that looks at the exit code, `subtype` or `is_error` takes a turn that was cut off for an empty answer.
#
# Needs: npm, Node 20 or later, Linux x64 or arm64. Nothing leaves this machine except the download of the package.
set -euo pipefail

VERSION=2.1.332
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
arch=$(node -p process.arch)
npm install --silent --no-save --ignore-scripts --prefix . "@anthropic-ai/claude-code-linux-$arch@$VERSION" >&2

# A stand-in for the Messages API. It asks for two commands in one message, and then answers.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const command = (id, line) => ({ type: 'tool_use', id, name: 'Bash', input: { command: line, description: 'Create a file' } });
const answer = ({ messages = [], tools = [] }) => {
  if (tools.length === 0) return [{ type: 'text', text: 'a title' }];
  if (JSON.stringify(messages).includes('tool_result')) return [{ type: 'text', text: 'both files are there' }];
  return [{ type: 'text', text: 'I begin.' }, command('toolu_1', 'touch first'), command('toolu_2', 'touch second')];
};
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const asked = body === '' ? {} : JSON.parse(body);
    const blocks = answer(asked);
    const stop = blocks.at(-1).type === 'tool_use' ? 'tool_use' : 'end_turn';
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
      stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    if (!asked.stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...message, content: blocks, stop_reason: stop }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    send({ type: 'message_start', message });
    for (const [index, block] of blocks.entries()) {
      const isText = block.type === 'text';
      send({ type: 'content_block_start', index, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } });
      send({ type: 'content_block_delta', index, delta: isText ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } });
      send({ type: 'content_block_stop', index });
    }
    send({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } });
    send({ type: 'message_stop' });
    response.end();
  });
}).listen(0, '127.0.0.1', function () { writeFileSync('port.new', String(this.address().port)); });
JS
mkdir -p home/.claude
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done
cat > home/hook.sh <<'HOOK'
#!/bin/sh
echo '{"continue": false, "stopReason": "Enough for today."}'
HOOK
chmod +x home/hook.sh

# Runs one prompt with the hook as a hook of this event, and prints the exit code, the result and the files.
try() {
  mkdir "work-$1"
  printf '{"permissions": {"allow": ["Bash"]}, "hooks": {"%s": [{"hooks": [{"type": "command", "command": "%s"}]}]}}' \
    "$1" "$dir/home/hook.sh" > home/.claude/settings.json
  local code=0
  (cd "work-$1" && env -i PATH="$PATH" HOME="$dir/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port.new)" \
    ANTHROPIC_API_KEY=stand-in CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 \
    DISABLE_AUTOUPDATER=1 "$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude" -p --output-format json go \
    < /dev/null > ../result) || code=$?
  node -e '
    const { subtype, is_error, terminal_reason, result } = [JSON.parse(require("fs").readFileSync("result", "utf8"))].flat().at(-1);
    console.log(`${process.argv[1]}: exit code ${process.argv[2]}, ${subtype}, is_error ${is_error}, ${terminal_reason}: "${result}"`);
  ' "$1" "$code"
  echo "  files: $(ls "work-$1" | tr '\n' ' ')"
}
try PreToolUse > seen
try Stop >> seen
echo "Claude Code $VERSION"
cat seen
diff - seen <<'TEXT'
PreToolUse: exit code 0, success, is_error false, hook_stopped: ""
  files: first second 
Stop: exit code 0, success, is_error false, stop_hook_prevented: "both files are there"
  files: first second 
TEXT
