#!/usr/bin/env bash
# Claude Code 2.1.332 in GNU Screen: the model moves the session into a worktree with its tool EnterWorktree, and the user
# moves it back with `/cd FOLDER`, to the main checkout. Claude Code tells the model that all calls now run in FOLDER.
#
# For a command, the permission dialog then asks as usual. Once the user has said yes, Claude Code refuses to run the
# command there, because the session is still "isolated in the worktree". After `/cd` to a folder outside of the repository,
# the same command runs. A program that answers the dialog sees its yes accepted, and nothing is done.
#
# Needs: npm, Node 20 or later, GNU Screen, git, Linux x64 or arm64. Nothing leaves this machine except the download.
set -euo pipefail
VERSION=2.1.332
dir=$(mktemp -d)
server=
export SCREENDIR=$dir/screens
quit() { screen -S one -X quit > /dev/null 2>&1 || true; }
trap 'quit; [ -z "$server" ] || kill "$server" 2>/dev/null || true; sleep 1; rm -rf "$dir"' EXIT
cd "$dir"
mkdir -m 700 screens
mkdir -p home/.claude work made other
arch=$(node -p process.arch)
npm install --silent --no-save --ignore-scripts --prefix . "@anthropic-ai/claude-code-linux-$arch@$VERSION" >&2
git -C work init -q -b main
git -C work -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m begin

# A stand-in for the Messages API. "enter" enters a worktree, and "create NAME" creates a file outside of the repository.
# What became of such a command is written into a file.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { appendFileSync, writeFileSync } from 'node:fs';
const [made] = process.argv.slice(2);
const textsOf = (content) => (typeof content === 'string' ? [content] : content.map((one) => one.text ?? ''));
const call = (name, input) => ({ type: 'tool_use', id: `toolu_${Math.random().toString(36).slice(2)}`, name, input });
const blockFor = ({ messages = [], tools = [] }) => {
  if (tools.length === 0) return { type: 'text', text: 'a title' };
  // What was said last counts: the result of a call, or a prompt.
  const blocks = messages.filter(({ role }) => role === 'user').flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : content));
  const last = blocks.findLast(({ type, text }) => type === 'tool_result' || /^(enter|create)\b/.test(text ?? ''));
  if (last === undefined) return { type: 'text', text: 'done' };
  const result = last.type === 'tool_result' ? last : undefined;
  if (result !== undefined) {
    const called = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).find(({ id }) => id === result.tool_use_id);
    if (called?.name === 'Bash') {
      const text = textsOf(result.content).join('');
      appendFileSync('results', `${called.input.command.split('/').pop()}: ${/isolated in the worktree/.test(text) ? 'refused, the session is isolated in the worktree' : 'it ran'}\n`);
    }
    return { type: 'text', text: 'done' };
  }
  const said = last.text;
  if (said.startsWith('enter')) return call('EnterWorktree', { name: 'side' });
  const [, name] = /^create (\S+)/.exec(said) ?? [];
  return name === undefined ? { type: 'text', text: 'done' } : call('Bash', { command: `touch ${made}/${name}`, description: 'Create it' });
};
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const asked = body === '' ? {} : JSON.parse(body);
    const block = blockFor(asked);
    const stop = block.type === 'text' ? 'end_turn' : 'tool_use';
    const message = { id: `msg_${Math.random().toString(36).slice(2)}`, type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
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
node api.mjs "$dir/made" & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done
key=sk-ant-stand-in-0123456789-0123456789
node -e '
  const [key, work, other] = process.argv.slice(1);
  console.log(JSON.stringify({ hasCompletedOnboarding: true, theme: "dark",
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] }, projects: { [work]: { hasTrustDialogAccepted: true }, [other]: { hasTrustDialogAccepted: true } } }));
' "$key" "$(cd work && pwd -P)" "$(cd other && pwd -P)" > home/.claude.json
cat > start.sh <<SH
sleep 1
cd '$dir/work'
exec env -i PATH="$PATH" HOME='$dir/home' TERM=screen LANG=C.UTF-8 ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat port.new)" \\
  ANTHROPIC_API_KEY=$key CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 \\
  DISABLE_AUTOUPDATER=1 '$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude' --permission-mode default
SH

shown() { screen -S one -X hardcopy "$dir/one.txt" > /dev/null || true; sleep 0.05; grep -qa -- "$1" "$dir/one.txt" 2> /dev/null; }
until_true() { for _ in $(seq 1200); do if "$@"; then return; fi; sleep 0.05; done; cat "$dir/one.txt" >&2; exit 1; }
say() { screen -S one -X stuff "$1"; until_true shown "$1"; sleep 0.5; screen -S one -X stuff $'\r'; }
# Says yes to the dialog about a command, and waits for its result.
allow() { until_true shown "touch .*$1"; until_true shown '1. Yes'; sleep 2; screen -S one -X stuff 1; until_true grep -qs "^$1:" results; }

screen -U -dmS one bash start.sh
for _ in $(seq 200); do if screen -S one -X height -w 45 140 > /dev/null; then break; fi; sleep 0.05; done
until_true shown 'for shortcuts'
say 'enter'
until_true test -e work/.claude/worktrees/side/.git
until_true shown 'done [0-9]'
sleep 1
go() { screen -S one -X stuff "/cd $dir/$1"; sleep 1; screen -S one -X stuff $'\r'; until_true shown "Moved to .*/$1"; sleep 1; }
go work
say 'create in-the-checkout'
allow in-the-checkout
sleep 1
go other
say 'create elsewhere'
allow elsewhere
for name in in-the-checkout elsewhere; do if [ -e "made/$name" ]; then echo "$name exists"; else echo "$name does not exist"; fi; done >> results
echo "Claude Code $VERSION, after EnterWorktree and /cd"
cat results
diff - results <<'TEXT'
in-the-checkout: refused, the session is isolated in the worktree
elsewhere: it ran
in-the-checkout does not exist
elsewhere exists
TEXT
