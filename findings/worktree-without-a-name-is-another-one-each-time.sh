#!/usr/bin/env bash
# Claude Code 2.1.330, `claude --worktree` without the name of a worktree: each launch makes up a name, also a launch
# with `--resume ID` of a conversation that has worked in a worktree before. The conversation continues in another new
# worktree, which lacks the files of the last one. With a name, it returns to its worktree.
#
# A program that repeats the arguments of a session at each launch loses sight of the session's work, and leaves a
# worktree behind each time.
#
# Needs: npm, Node 20 or later, git, Linux x64 or arm64. Nothing leaves this machine except the download of the package.
set -euo pipefail

VERSION=2.1.330
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"

arch=$(node -p process.arch)
npm install --silent --no-save --ignore-scripts --prefix . "@anthropic-ai/claude-code-linux-$arch@$VERSION" >&2

# A stand-in for the Messages API, which always gives the same answer.
cat > api.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const asked = body === '' ? {} : JSON.parse(body);
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in', content: [], stop_reason: null,
      stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    if (!asked.stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...message, content: [{ type: 'text', text: 'done' }], stop_reason: 'end_turn' }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    send({ type: 'message_start', message });
    send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'done' } });
    send({ type: 'content_block_stop', index: 0 });
    send({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } });
    send({ type: 'message_stop' });
    response.end();
  });
}).listen(0, '127.0.0.1', function () { writeFileSync('port.new', String(this.address().port)); });
JS
mkdir home
node api.mjs & server=$!
until [ -s port.new ]; do kill -0 "$server"; sleep 0.05; done

claude() {
  env -i PATH="$PATH" HOME="$dir/home" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat "$dir/port.new")" \
    ANTHROPIC_API_KEY=stand-in CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 \
    DISABLE_AUTOUPDATER=1 "$dir/node_modules/@anthropic-ai/claude-code-linux-$arch/claude" "$@" < /dev/null
}

# Runs two turns of one conversation with the same arguments, and prints how many worktrees there are then.
worktrees_after_two_turns() {
  local folder="$dir/$1" id
  shift
  git init --quiet --initial-branch main "$folder"
  cd "$folder"
  git -c user.name=x -c user.email=x@x commit --quiet --allow-empty --message begin
  id=$(claude -p "$@" --output-format json hello | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).session_id')
  claude -p "$@" --output-format json --resume "$id" again > /dev/null
  find .claude/worktrees -mindepth 1 -maxdepth 1 | wc -l
  cd "$dir"
}

{
  echo "--worktree, two turns: $(worktrees_after_two_turns nameless --worktree) worktrees"
  echo "--worktree=feat, two turns: $(worktrees_after_two_turns named --worktree=feat) worktrees"
} > seen
echo "Claude Code $VERSION"
cat seen
diff - seen <<'TEXT'
--worktree, two turns: 2 worktrees
--worktree=feat, two turns: 1 worktrees
TEXT
