#!/usr/bin/env bash
# Claude Code 2.1.332, `claude -p`: when the model has started a command in the background, the process does not end
# with the model's answer. It waits until the command has ended, tells the model, and runs another turn. With
# --output-format json, only the answer of that last turn is printed: the answer to the prompt is nowhere in the output.
# With --output-format text, both answers are printed, and with stream-json there are two results.
#
# A script that reads `result` of the JSON output gets the model's remark about the command instead of its answer.
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
claude="$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude"

# A stand-in for the Messages API: starts a command in the background, answers the prompt, and remarks on the end of the
# command.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const answer = ({ messages = [], tools = [] }) => {
  const all = JSON.stringify(messages);
  if (tools.length === 0) return { type: 'text', text: 'a title' };
  if (all.includes('task-notification')) return { type: 'text', text: 'the command has ended' };
  if (all.includes('tool_result')) return { type: 'text', text: 'the answer is 42' };
  return { type: 'tool_use', id: 'toolu_1', name: 'Bash',
    input: { command: 'sleep 4', description: 'Wait', run_in_background: true } };
};
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const asked = body === '' ? {} : JSON.parse(body);
    const block = answer(asked);
    const stop = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
      stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    if (!asked.stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...message, content: [block], stop_reason: stop }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const isText = block.type === 'text';
    send({ type: 'message_start', message });
    send({ type: 'content_block_start', index: 0, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } });
    send({ type: 'content_block_delta', index: 0, delta: isText ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } });
    send({ type: 'content_block_stop', index: 0 });
    send({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } });
    send({ type: 'message_stop' });
    response.end();
  });
}).listen(0, '127.0.0.1', function () { writeFileSync('port.new', String(this.address().port)); });
JS
mkdir home work
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done
port=$(cat port.new)

# `--allowedTools` allows the one command, so that nothing asks.
run() {
  (cd work && env -i PATH="$PATH" HOME="$dir/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=stand-in \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 \
    timeout 100 "$claude" -p 'What is the answer?' --permission-mode default --allowedTools Bash "$@" </dev/null)
}
text=$(run --output-format text)
json=$(run --output-format json)
stream=$(run --output-format stream-json --verbose)
results() { node -e 'for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
  const { type, result } = JSON.parse(line); if (type === "result") console.log(result); }'; }
echo "Claude Code $VERSION"
echo "text:        ${text//$'\n'/|}"
echo "json:        $(results <<<"$json")"
echo "stream-json: $(results <<<"$stream" | paste -sd '|')"
[ "${text//$'\n'/|}" = 'the answer is 42||the command has ended' ]
[ "$(results <<<"$json")" = 'the command has ended' ]
case "$json" in *'the answer is 42'*) echo 'the JSON output has the answer now'; exit 1 ;; esac
[ "$(results <<<"$stream" | paste -sd '|')" = 'the answer is 42|the command has ended' ]
