#!/usr/bin/env bash
# Claude Code 2.1.332, `claude -p` with stream-json and --permission-prompt-tool stdio: the Agent tool runs its agent in
# the background unless told otherwise. The agent's `can_use_tool` request can therefore arrive before the `result` of
# the turn that started the agent, and stays open after that `result`. An answer that is sent seconds after the result
# still counts: the tool runs, and a second `result` follows for the turn that the agent's end starts.
#
# A client that forgets its open requests at a `result`, or that closes standard input there, leaves the agent waiting.
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

# A stand-in for the Messages API. The main conversation starts an agent, then says that it has done so. The agent wants
# to create a file outside of the folder, and then says that it has ended.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const answer = ({ messages = [], tools = [] }) => {
  const all = JSON.stringify(messages);
  if (tools.length === 0) return { type: 'text', text: 'a title' };
  if (all.includes('task-notification')) return { type: 'text', text: 'the agent has ended' };
  const called = all.includes('tool_result');
  if (all.includes('CREATE-THE-FILE') && !all.includes('START-AN-AGENT'))
    return called ? { type: 'text', text: 'file created' }
      : { type: 'tool_use', id: 'toolu_agent', name: 'Bash', input: { command: `touch ${process.argv[2]}`, description: 'Create it' } };
  return called ? { type: 'text', text: 'an agent is at work' }
    : { type: 'tool_use', id: 'toolu_main', name: 'Agent', input: { description: 'Create a file', prompt: 'CREATE-THE-FILE', subagent_type: 'general-purpose' } };
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
mkdir home work outside
node api.mjs "$dir/outside/made" & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done

# The client: prints what it sees, answers the agent's request two seconds after the first result, and ends at the second.
cat > client.mjs <<'JS'
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [claude, made, port] = process.argv.slice(2);
const child = spawn(claude, ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose',
  '--permission-mode', 'default', '--permission-prompt-tool', 'stdio'], {
  cwd: 'work', stdio: ['pipe', 'pipe', 'inherit'],
  env: { PATH: process.env.PATH, HOME: `${process.cwd()}/home`, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'stand-in', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1' },
});
const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
let open = null;
let results = 0;
const deadline = setTimeout(() => { console.log('nothing more within 60 s'); child.kill(); }, 60_000);
const allow = () => {
  if (open === null || results === 0) return;
  const request = open;
  open = null;
  console.log(`the file exists: ${existsSync(made)}`);
  setTimeout(() => {
    console.log('allowed');
    write({ type: 'control_response', response: { subtype: 'success', request_id: request.request_id,
      response: { behavior: 'allow', updatedInput: request.request.input } } });
  }, 2_000);
};
write({ type: 'user', message: { role: 'user', content: 'START-AN-AGENT' } });
for await (const line of createInterface({ input: child.stdout })) {
  const event = JSON.parse(line);
  if (event.type === 'control_request' && event.request.subtype === 'can_use_tool') {
    console.log(`asked for ${event.request.tool_name} by an agent: ${typeof event.request.agent_id === 'string'}`);
    open = event;
  } else if (event.type === 'result') {
    results += 1;
    console.log(`result: ${event.result}`);
    if (results === 2) child.stdin.end();
  }
  allow();
}
clearTimeout(deadline);
console.log(`the file exists: ${existsSync(made)}`);
JS
claude="$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude"
node client.mjs "$claude" "$dir/outside/made" "$(cat port.new)" > seen
echo "Claude Code $VERSION"
cat seen
# The request and the first result race with each other, so their order is not compared.
sort -u seen > sorted
sort -u > expected <<'TEXT'
asked for Bash by an agent: true
result: an agent is at work
the file exists: false
allowed
result: the agent has ended
the file exists: true
TEXT
diff expected sorted
