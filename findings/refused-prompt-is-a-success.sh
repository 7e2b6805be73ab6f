#!/usr/bin/env bash
# Claude Code 2.1.332, `claude -p` with stream-json: a prompt that a UserPromptSubmit hook refuses ends in a result that
# says `subtype: "success"` and `is_error: false`, and the process exits with 0. The text of the refusal stands in
# `result`, where an answer of the model otherwise stands. The model was never asked. Only `num_turns: 0` tells this
# result from an answer.
#
# A client that takes `result` of a successful result for the answer shows the hook's words as the model's.
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

# A stand-in for the Messages API. It answers every request with one word, and counts the requests with tools.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
let asked = 0;
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const { stream = false, tools = [] } = body === '' ? {} : JSON.parse(body);
    if (tools.length > 0) writeFileSync('asked', String((asked += 1)));
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
cat > settings.json <<'JSON'
{ "hooks": { "UserPromptSubmit": [ { "hooks": [ { "type": "command",
  "command": "grep -q deploy && { echo 'Deployments are closed today' >&2; exit 2; }; exit 0" } ] } ] } }
JSON
run() {
  printf '{"type":"user","message":{"role":"user","content":"%s"}}\n' "$1" |
    (cd work && env -i PATH="$PATH" HOME="$dir/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=stand-in \
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 \
      "$claude" -p --input-format stream-json --output-format stream-json --verbose --permission-mode default \
      --settings "$dir/settings.json") > out.jsonl || echo "exit code $?"
  node -e '
    const lines = require("fs").readFileSync("out.jsonl", "utf8").trim().split("\n").map((line) => JSON.parse(line));
    const { subtype, is_error, num_turns, result } = lines.findLast(({ type }) => type === "result");
    console.log(JSON.stringify({ subtype, is_error, num_turns, refused: /Deployments are closed/.test(result), pong: /pong/.test(result) }));'
}

answered=$(run 'say ping')
asked=$(cat asked)
refused=$(run 'deploy now')
asked_then=$(cat asked)
echo "Claude Code $VERSION"
echo "an answered prompt: $answered, requests to the model: $asked"
echo "a refused prompt:   $refused, requests to the model: $((asked_then - asked))"
[ "$answered" = '{"subtype":"success","is_error":false,"num_turns":1,"refused":false,"pong":true}' ]
[ "$refused" = '{"subtype":"success","is_error":false,"num_turns":0,"refused":true,"pong":false}' ]
[ "$asked_then" = "$asked" ]
