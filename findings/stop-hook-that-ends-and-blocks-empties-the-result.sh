#!/usr/bin/env bash
# Claude Code 2.1.332, `claude -p` with stream-json: if a Stop hook prints both `continue: false`, which ends the turn, and
# `decision: "block"`, which would prolong it, the turn ends in a result that says `subtype: "success"` and
# `is_error: false`, and whose `result` is empty, although the model has answered. The answer is in the `assistant` messages
# alone. `terminal_reason` is `stop_hook_prevented`, as after a hook that prints only `continue: false`. After such a hook,
# however, `result` is the answer. A hook that prints only `decision: "block"` makes the model answer again.
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

# A stand-in for the Messages API. It answers every request with one word.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const { stream = false } = body === '' ? {} : JSON.parse(body);
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
      stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    const text = { type: 'text', text: 'pong' };
    if (!stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...message, content: [text], stop_reason: 'end_turn' }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    send({ type: 'message_start', message });
    send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: text.text } });
    send({ type: 'content_block_stop', index: 0 });
    send({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } });
    send({ type: 'message_stop' });
    response.end();
  });
}).listen(0, '127.0.0.1', function () { writeFileSync('port.new', String(this.address().port)); });
JS
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done
port=$(cat port.new)

mkdir home work
run() {
  echo "$1" > reply
  cat > settings.json <<JSON
{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "cat '$dir/reply'; echo > '$dir/reply'" } ] } ] } }
JSON
  printf '{"type":"user","message":{"role":"user","content":"say ping"}}\n' |
    (cd work && env -i PATH="$PATH" HOME="$dir/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=stand-in \
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 \
      "$claude" -p --input-format stream-json --output-format stream-json --verbose --permission-mode default \
      --settings "$dir/settings.json") > out.jsonl || echo "exit code $?"
  node -e '
    const lines = require("fs").readFileSync("out.jsonl", "utf8").trim().split("\n").map((line) => JSON.parse(line));
    const { subtype, is_error, terminal_reason, result } = lines.findLast(({ type }) => type === "result");
    const said = lines.filter(({ type }) => type === "assistant").flatMap(({ message }) => message.content).map(({ text }) => text);
    console.log(JSON.stringify({ subtype, is_error, terminal_reason, result, said }));'
}

ends='"continue": false, "stopReason": "Enough."'
blocks='"decision": "block", "reason": "Say it again."'
{
  echo "nothing: $(run '')"
  echo "ends: $(run "{ $ends }")"
  echo "blocks: $(run "{ $blocks }")"
  echo "both: $(run "{ $ends, $blocks }")"
} > seen
echo "Claude Code $VERSION, after a Stop hook that does"
cat seen
diff - seen <<'TEXT'
nothing: {"subtype":"success","is_error":false,"terminal_reason":"completed","result":"pong","said":["pong"]}
ends: {"subtype":"success","is_error":false,"terminal_reason":"stop_hook_prevented","result":"pong","said":["pong"]}
blocks: {"subtype":"success","is_error":false,"terminal_reason":"completed","result":"pong","said":["pong","pong"]}
both: {"subtype":"success","is_error":false,"terminal_reason":"stop_hook_prevented","result":"","said":["pong"]}
TEXT
