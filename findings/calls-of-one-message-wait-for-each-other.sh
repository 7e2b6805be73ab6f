#!/usr/bin/env bash
# Claude Code 2.1.332 and MCP: the tool calls of one message run one after the other, even if they go to different servers,
# and even if the tools say `destructiveHint: false, idempotentHint: true, openWorldHint: false`. Only `readOnlyHint: true`
# lets calls run at the same time. A call without that hint is a barrier: the calls before it end first, and those behind
# it wait.
#
# The specification describes annotations as hints, and names no order of calls. An author of two servers who
# expects that a slow call to one does not hold up the other waits for the sum of both. A server that asks the user
# (elicitation) holds up every other server until the user answers, or all of them ask at once, depending on one word.
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

# A stand-in for the Messages API. It asks for all calls of the prompt ("a.slow b.slow") in one message, then answers.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const answer = ({ messages = [], tools = [] }) => {
  if (tools.length === 0) return [{ type: 'text', text: 'a title' }];
  const said = JSON.stringify(messages);
  if (said.includes('tool_result')) return [{ type: 'text', text: 'done' }];
  const [, words] = /calls: ([\w .]+)/.exec(said);
  return words.trim().split(' ').map((word, at) => {
    const [name, tool] = word.split('.');
    return { type: 'tool_use', id: `toolu_${at}`, name: `mcp__${name}__${tool}`, input: { mark: `${at + 1}` } };
  });
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

# An MCP server with three tools that do the same: each notes when it begins, and when it ends 0.7 s later.
cat > mcp.mjs <<'JS'
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const note = (line) => appendFileSync(process.env.LOG, `${line}\n`);
const inputSchema = { type: 'object', properties: { mark: { type: 'string' } }, required: ['mark'] };
const tool = (name, annotations) => ({ name, description: 'Waits', inputSchema, ...(annotations ? { annotations } : {}) });
const tools = [
  tool('plain'),
  tool('harmless', { destructiveHint: false, idempotentHint: true, openWorldHint: false }),
  tool('reading', { readOnlyHint: true }),
];
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    write({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'waiting', version: '1' } } });
  } else if (method === 'tools/list') write({ id, result: { tools } });
  else if (method === 'tools/call') {
    const { mark } = params.arguments;
    note(`${mark} begins`);
    await new Promise((resolve) => setTimeout(resolve, 700));
    note(`${mark} ends`);
    write({ id, result: { content: [{ type: 'text', text: 'ok' }] } });
  } else write({ id, error: { code: -32601, message: 'unknown' } });
});
JS
mkdir -p home/.claude work
printf '{"permissions": {"allow": ["mcp__a", "mcp__b"]}}' > home/.claude/settings.json
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done
one='{"command": "node", "args": ["'$dir'/mcp.mjs"], "env": {"LOG": "'$dir'/log"}}'
printf '{"mcpServers": {"a": %s, "b": %s}}' "$one" "$one" > mcp.json

# Runs one prompt, whose words name the calls, and prints how many of them ran at the same time.
try() {
  : > log
  (cd work && env -i PATH="$PATH" HOME="$dir/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat ../port.new)" \
    ANTHROPIC_API_KEY=stand-in CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 \
    DISABLE_AUTOUPDATER=1 "$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude" -p "calls: $*" --strict-mcp-config \
    --mcp-config ../mcp.json < /dev/null > ../result)
  node -e '
    const groups = [];
    let open = 0;
    for (const line of require("fs").readFileSync("log", "utf8").trim().split("\n")) {
      if (line.endsWith("ends")) open -= 1;
      else if (open++ === 0) groups.push(1);
      else groups[groups.length - 1] += 1;
    }
    console.log(`${process.argv[1]}: ${groups.join(", then ")} at a time`);
  ' "$*"
}
{
  try a.plain b.plain
  try a.harmless b.harmless
  try a.reading b.reading
  try a.reading a.reading
  try a.plain a.reading b.reading
  try a.reading a.plain b.reading
} > seen
echo "Claude Code $VERSION"
cat seen
diff - seen <<'TEXT'
a.plain b.plain: 1, then 1 at a time
a.harmless b.harmless: 1, then 1 at a time
a.reading b.reading: 2 at a time
a.reading a.reading: 2 at a time
a.plain a.reading b.reading: 1, then 2 at a time
a.reading a.plain b.reading: 1, then 1, then 1 at a time
TEXT
