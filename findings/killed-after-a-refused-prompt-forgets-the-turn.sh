#!/usr/bin/env bash
# Claude Code 2.1.330: a conversation whose process is killed right after a turn can be resumed without that turn, although
# its transcript contains the whole turn, if a `UserPromptSubmit` hook refused a prompt before it.
#
# The transcript is a tree of lines. The note about the refused prompt has no descendants, because the next prompt follows
# the line above the note. After each turn, and after the note, Claude Code writes down the line at which the conversation
# ends (`last-prompt`). `--resume` continues at the line that the last `last-prompt` names, if that line is still a leaf of
# the tree, and otherwise at the newest leaf. If the process is killed after the answer and before its `last-prompt`, the
# note is still a leaf, and the model is not told about the turn. Without the refused prompt, nothing is forgotten, because
# the line that `last-prompt` names has descendants. Nothing reports the loss.
#
# Other ways of resuming do not know the turn either: `--continue`, `--fork-session`, and the path of the transcript.
# `--resume-session-at` with the id of the forgotten answer ends with "No message found", because it only cuts the
# messages that `--resume` has read. One more `last-prompt`, which names the answer, brings the turn back.
#
# The script cuts the transcript after the answer, as such a kill does, because the kill itself is a matter of
# milliseconds.
#
# Needs: npm, Node 20 or later, Linux x64 or arm64. Nothing leaves this machine except the download of the package.
set -euo pipefail
VERSION=2.1.330
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
arch=$(node -p process.arch)
npm install --silent --no-save --ignore-scripts --prefix . "@anthropic-ai/claude-code-linux-$arch@$VERSION" >&2

# A stand-in for the Messages API, which notes the prompts of each request, and says that it has read the last one.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const textsOf = ({ messages = [] }) => messages.filter(({ role }) => role === 'user')
  .flatMap(({ content }) => (typeof content === 'string' ? [content] : content.map(({ text = '' }) => text)))
  .filter((text) => text.startsWith('prompt '));
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const asked = body === '' ? {} : JSON.parse(body);
    const prompts = textsOf(asked);
    if ((asked.tools ?? []).length > 0 && prompts.length > 0) writeFileSync('told', JSON.stringify(prompts));
    if (prompts.at(-1) === 'prompt one') return; // until it is interrupted
    const block = { type: 'text', text: `read ${prompts.at(-1) ?? 'nothing'}` };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
      stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    if (!asked.stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...message, content: [block], stop_reason: 'end_turn' }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    for (const event of [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: block.text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
}).listen(0, '127.0.0.1', function () { writeFileSync('port.new', String(this.address().port)); });
JS
mkdir -p home/.claude work
cat > refuse.sh <<'SH'
if grep -q 'refuse this'; then echo 'Not this one' >&2; exit 2; fi
SH
cat > home/.claude/settings.json <<JSON
{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "bash $dir/refuse.sh"}]}]}}
JSON
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done

# The client: the first process runs a turn, gets another prompt, and ends in an orderly way. The second one runs a turn,
# and is killed once the transcript contains its answer. The third one says what the model is told with the next prompt.
cat > client.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [claude, port, other] = process.argv.slice(2);
async function run(args, prompts, end) {
  const child = spawn(claude, ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', ...args], {
    cwd: 'work', stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: `${process.cwd()}/home`, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: 'stand-in', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1' },
  });
  let id = '';
  const left = [...prompts];
  const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const next = () => child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: left.shift() } })}\n`);
  next();
  if (prompts[0] === 'prompt one') {
    while (!existsSync('told')) await new Promise((resolve) => setTimeout(resolve, 10));
    write({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line);
    id = event.session_id ?? id;
    if (event.type !== 'result') continue;
    if (left.length === 0) break;
    next();
  }
  const exited = once(child, 'exit');
  if (end === 'kill') {
    const [folder] = readdirSync('home/.claude/projects');
    const transcript = `home/.claude/projects/${folder}/${id}.jsonl`;
    const answered = () => readFileSync(transcript, 'utf8').split('\n').findIndex((line) => line.includes(`read ${prompts.at(-1)}`));
    while (answered() < 0) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    await exited;
    const lines = readFileSync(transcript, 'utf8').split('\n').slice(0, answered() + 1);
    writeFileSync(transcript, `${lines.join('\n')}\n`);
  } else {
    child.stdin.end();
    await exited;
  }
  return id;
}
const deadline = setTimeout(() => { console.log('nothing more within 120 s'); process.exit(1); }, 120_000);
const id = await run([], ['prompt one', other], 'close');
await run(['--resume', id], ['prompt three'], 'kill');
const [folder] = readdirSync('home/.claude/projects');
const transcript = `${process.cwd()}/home/.claude/projects/${folder}/${id}.jsonl`;
const saved = readFileSync(transcript, 'utf8');
const { uuid } = JSON.parse(saved.trimEnd().split('\n').at(-1));
const bookmark = saved.trimEnd().split('\n').map((line) => JSON.parse(line)).findLast(({ type }) => type === 'last-prompt');
const completed = `${saved}${JSON.stringify({ ...bookmark, leafUuid: uuid })}\n`;
for (const [text, args] of [[saved, ['--resume', id]], [saved, ['--continue']], [saved, ['--resume', id, '--fork-session']],
  [saved, ['--resume', transcript]], [saved, ['--resume', id, '--resume-session-at', uuid]], [completed, ['--resume', id]]]) {
  writeFileSync(transcript, text);
  writeFileSync('told', '["nothing"]');
  await run(args, ['prompt four'], 'close');
  const told = JSON.parse(readFileSync('told', 'utf8')).map((text) => text.trim()).join(', ');
  const how = text === saved ? '' : ', completed';
  console.log(`${other}${how}, ${args.map((arg) => (arg === id ? 'ID' : arg === transcript ? 'FILE' : arg === uuid ? 'ANSWER' : arg)).join(' ')}: ${told}`);
}
clearTimeout(deadline);
JS
for other in 'prompt two' 'refuse this'; do
  node client.mjs "$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude" "$(cat port.new)" "$other"
  rm -r home/.claude/projects told
done > seen
echo "Claude Code $VERSION"
cat seen
diff - seen <<'TEXT'
prompt two, --resume ID: prompt one, prompt two, prompt three, prompt four
prompt two, --continue: prompt one, prompt two, prompt three, prompt four
prompt two, --resume ID --fork-session: prompt one, prompt two, prompt three, prompt four
prompt two, --resume FILE: prompt one, prompt two, prompt three, prompt four
prompt two, --resume ID --resume-session-at ANSWER: prompt one, prompt two, prompt three, prompt four
prompt two, completed, --resume ID: prompt one, prompt two, prompt three, prompt four
refuse this, --resume ID: prompt one, prompt four
refuse this, --continue: prompt one, prompt four
refuse this, --resume ID --fork-session: prompt one, prompt four
refuse this, --resume FILE: prompt one, prompt four
refuse this, --resume ID --resume-session-at ANSWER: nothing
refuse this, completed, --resume ID: prompt one, prompt three, prompt four
TEXT
