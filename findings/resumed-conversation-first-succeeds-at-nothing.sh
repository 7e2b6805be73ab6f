#!/usr/bin/env bash
# Claude Code 2.1.332, `claude -p --resume` with stream-json: if the last process was killed while an agent of its was in
# the background, the new process first reports the agents' ends as a turn of their own. That turn ends in a `result`
# with `subtype: "success"`, `result: ""` and `num_turns: 0`, without a request to the model. It comes before the prompt
# that was written at once, although `--resume` is followed by nothing but that prompt. Only `origin.kind:
# "task-notification"` tells this result from the one of the prompt, which comes second.
#
# A client that takes the first `result` after its prompt for the answer reports an empty answer as a success.
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

# A stand-in for the Messages API. The first prompt starts an agent, which wants to create a file outside of the folder.
# The second prompt gets an answer.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const answer = ({ messages = [], tools = [] }) => {
  const all = JSON.stringify(messages);
  if (tools.length === 0) return { type: 'text', text: 'a title' };
  if (all.includes('WHAT-IS-THE-ANSWER')) return { type: 'text', text: 'the answer is 42' };
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

# The client: starts an agent, kills Claude Code while the agent asks, resumes the conversation with another prompt, and
# prints every result of the second process.
cat > client.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
const [claude, port] = process.argv.slice(2);
function start(...args) {
  const child = spawn(claude, ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose',
    '--permission-mode', 'default', '--permission-prompt-tool', 'stdio', ...args], {
    cwd: 'work', stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: `${process.cwd()}/home`, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: 'stand-in', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1' },
  });
  const write = (content) => child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
  return { child, write, lines: createInterface({ input: child.stdout }) };
}
const deadline = setTimeout(() => { console.log('nothing more within 60 s'); process.exit(1); }, 60_000);
const first = start();
first.write('START-AN-AGENT');
let id = '';
let hasAsked = false;
let isOver = false;
for await (const line of first.lines) {
  const event = JSON.parse(line);
  id = event.session_id ?? id;
  hasAsked ||= event.type === 'control_request';
  isOver ||= event.type === 'result';
  if (hasAsked && isOver) break;
}
first.child.kill('SIGKILL');
await once(first.child, 'exit');

const second = start('--resume', id);
second.write('WHAT-IS-THE-ANSWER');
for await (const line of second.lines) {
  const { type, subtype, result, num_turns: turns, origin } = JSON.parse(line);
  if (type !== 'result') continue;
  console.log(`${subtype}, ${turns} turns, origin ${origin?.kind ?? 'none'}: "${result}"`);
  if (result !== '') break;
}
second.child.kill();
clearTimeout(deadline);
JS
node client.mjs "$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude" "$(cat port.new)" > seen
echo "Claude Code $VERSION"
cat seen
diff - seen <<'TEXT'
success, 0 turns, origin task-notification: ""
success, 1 turns, origin none: "the answer is 42"
TEXT
