#!/usr/bin/env bash
# @xterm/headless 6.0.0: when a terminal becomes narrower and wide again, a wrapped line that ends above the cursor comes
# back whole, but the wrapped line that holds the cursor has lost the middle of its text for good. Each of its rows is
# cut at the narrower width and none is joined again. A real shell draws its prompt again after a resize, so a person
# rarely notices. A program that reads the text back from the buffer, or serialises it, gets a command that nobody typed:
# here `echo one two three eight` for `echo one two three four five six seven eight`.
#
# Needs: npm, Node 20 or later.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-save --ignore-scripts --prefix . @xterm/headless@6.0.0 @xterm/addon-serialize@0.14.0 >&2

cat > resize.mjs <<'JS'
import xterm from '@xterm/headless';
import serializer from '@xterm/addon-serialize';

const terminal = new xterm.Terminal({ cols: 40, rows: 8, scrollback: 100, allowProposedApi: true });
const serialize = new serializer.SerializeAddon();
terminal.loadAddon(serialize);
await new Promise((resolve) =>
  terminal.write('Output that is longer than forty columns and therefore wraps.\r\n$ echo one two three four five six seven eight', resolve),
);
/** Joins the rows of each wrapped line. */
const lines = () => {
  const { active } = terminal.buffer;
  const joined = [];
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row);
    const next = active.getLine(row + 1);
    const text = line.translateToString(!next?.isWrapped);
    if (line.isWrapped) joined[joined.length - 1] += text;
    else joined.push(text);
  }
  return joined.filter((line) => line.trim() !== '').map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' … '));
};
const before = lines();
terminal.resize(20, 8);
terminal.resize(40, 8);
const after = lines();
console.log(JSON.stringify({ before, after, serialized: serialize.serialize().includes('three four') }, null, 1));
JS
node resize.mjs | tee seen
node - <<'JS'
const { before, after, serialized } = JSON.parse(require('fs').readFileSync('seen', 'utf8'));
const is = (holds, what) => { if (!holds) { console.log(`changed: ${what}`); process.exitCode = 1; } };
is(before[1] === '$ echo one two three four five six seven eight', 'the line before');
is(after[0] === before[0], 'the line above the cursor comes back whole');
is(after[1] !== before[1] && !after[1].includes('four five'), 'the line with the cursor is cut');
is(serialized === false, 'the serialised terminal has lost the same text');
JS
