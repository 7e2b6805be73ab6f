import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { createPng } from '../harness/some-images.ts';
import { DONE, WORKING } from '../harness/some-sessions.ts';
import { runTurn } from '../harness/some-turns.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

let server: FacesUnderTest;
let repository: TestRepository;
beforeAll(async () => {
  server = await startFaces();
  repository = createRepository(server.world);
  repository.write('a.txt', 'one\ntwo\n');
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
});
afterAll(() => server[Symbol.asyncDispose]());

test('d shows what the session changed, to its end, file by file, and again when a turn has ended', async () => {
  repository.write('a.txt', 'one\n2\n');
  repository.write('long.txt', `${'a line\n'.repeat(3_000)}the last line\n`);
  repository.write('odd\u001b[2J\u202e', '\u001b]0;evil\u0007\n');
  server.sessions.add('AUTH', { ...DONE, path: repository.dir });
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/s reply/, 'the list');
  await terminal.keys('d');
  await terminal.until(/AUTH changed 3 files, \+3003 −1[\s\S]*against main, where the branch/, 'what was changed');
  await terminal.until(
    /M a\.txt {2}\+1 −1[\s\S]*odd\\u001b\[2J\\u202e[\s\S]*-two\s+│?\s*│?\s*\+2/,
    'names and lines as they are',
  );
  await terminal.keys(']', ']');
  await terminal.until(/diff --git a\/long\.txt/, 'the second file');
  await terminal.keys('G');
  await terminal.until(/\+\\u001b\]0;evil\\u0007/, 'the end');
  await terminal.keys('g');
  server.sessions.change('AUTH', WORKING);
  repository.write('made-by-the-turn.txt', 'x\n');
  await terminal.until(/AUTH changed 3 files/, 'the state before the turn');
  server.sessions.change('AUTH', DONE);
  await terminal.until(/AUTH changed 4 files[\s\S]*made-by-the-turn\.txt/, 'what the turn changed');
  await terminal.keys('Escape');
  await terminal.until(/s reply/, 'the list');
  server.sessions.change('AUTH', { path: server.world.projectDir });
  await terminal.keys('d');
  await terminal.until(/isn't inside a git working tree/, 'why there is nothing');
  expect(server.sessions.typed.size).toBe(0);
});

test('a changed image and another binary file are told with their sizes, in the list and in the patch', async () => {
  const drawn = createRepository(server.world, 'drawn');
  drawn.write('logo.png', createPng(8, 8));
  drawn.commit();
  drawn.git('checkout', '--quiet', '-b', 'task');
  drawn.write('logo.png', Buffer.concat([createPng(8, 8), Buffer.alloc(13_000)]));
  drawn.write('data.bin', new Uint8Array(3_500));
  server.sessions.change('AUTH', { ...DONE, path: drawn.dir });
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/s reply/, 'the list');
  await terminal.keys('d');
  await terminal.until(/\? data\.bin {2}binary, 4 kB[\s\S]*M logo\.png {2}image, 1 kB → 14 kB/, 'the list of files');
  await terminal.until(/diff --git a\/logo\.png[\s\S]*image, 1 kB → 14 kB/, 'the patch');
  expect(await terminal.screen()).not.toContain('Binary files');
});

test('t chooses a turn, and shows only what that turn changed, in 80 columns', async () => {
  const turned = createRepository(server.world, 'turned');
  turned.write('a.txt', 'one\ntwo\n');
  turned.commit();
  server.sessions.change('AUTH', { ...DONE, path: turned.dir });
  const terminal = await openTerminal(server.world, { cols: 80, rows: 24 });
  await terminal.until(/s reply/, 'the list');
  await terminal.keys('d');
  await terminal.until(/AUTH changed no changes/, 'the changes');
  await terminal.keys('t');
  await terminal.until(/No turns of AUTH are saved yet/, 'that there are none');
  await runTurn(server, 'AUTH', { prompt: 'count up', work: () => turned.write('a.txt', 'one\n2\n') });
  await runTurn(server, 'AUTH', { prompt: 'add b', work: () => turned.write('b.txt', 'b\n') });
  await terminal.until(/AUTH changed 2 files/, 'what both turns changed');
  await terminal.keys('t');
  await terminal.until(/All changes[\s\S]*Turn 2, [^\n]*: add b\s+Turn 1, [^\n]*\+1 −1: count up/, 'the turns');
  await terminal.keys('G', 'Enter');
  await terminal.until(/AUTH changed 1 file, \+1 −1 in turn 1[\s\S]*-two/, 'what the first turn changed');
  expect(await terminal.screen()).not.toContain('b.txt');
  await terminal.keys('c');
  await terminal.until(/belong to the files as they are now/, 'that a turn is not commented');
  await terminal.keys('t');
  await terminal.until(/▌ Turn 1/, 'the turn that is shown');
  await terminal.keys('g', 'Enter');
  await terminal.until(/AUTH changed 2 files/, 'all changes again');
  await terminal.keys('Escape');
  await terminal.until(/s reply/, 'the list');
});

/** Returns the line of the screen with this text, with the colours that the terminal shows. */
async function drawnLine(terminal: Terminal, text: RegExp): Promise<string | undefined> {
  const drawn = await terminal.tmux('capture-pane', '-p', '-e');
  return drawn.split('\n').find((line) => text.test(line.replaceAll(/\u001b\[[\d;]*m/g, '')));
}

test('code has the colours of its language on the lines that are drawn; the sign and the mark of the line remain', async () => {
  const coloured = createRepository(server.world, 'coloured');
  coloured.write('a.ts', "const one = 'x';\n");
  coloured.write('far.ts', `${'let filler = 0;\n'.repeat(200)}`);
  coloured.commit();
  coloured.git('checkout', '--quiet', '-b', 'task');
  coloured.write('a.ts', `const two = 'y'; // \u001b[2J\nlet long = 'w'; ${'if (word) '.repeat(12)}\n`);
  coloured.write('far.ts', `${'let filler = 0;\n'.repeat(200)}return 'the end';\n`);
  server.sessions.change('AUTH', { ...DONE, path: coloured.dir });
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/s reply/, 'the list');
  await terminal.keys('d');
  const colours = (line: RegExp, expected: RegExp, describe: string) =>
    waitFor(async () => expected.test((await drawnLine(terminal, line)) ?? ''), { describe });
  // 31 and 32 are red and green, 33 yellow, 35 magenta, 36 cyan, 2 dim.
  await colours(
    /-const one/,
    /\[31m-\u001b\[35mconst\u001b\[31m one = \u001b\[33m'x'\u001b\[31m;/,
    'a removed line in colours',
  );
  await colours(/\+const two/, /\[32m\+\u001b\[35mconst.*\[33m'y'.*\[2m.*\/\/ \\u001b\[2J/, 'an added line in colours');
  // The second half of a long line is on a line of its own, in its own colours.
  await colours(/^.*│\s*if \(word\)|^\s+if \(word\)/, /\[35mif/, 'the rest of a long line');
  await terminal.keys('G');
  await colours(/\+return 'the end'/, /\[35mreturn.*\[33m'the end'/, 'the end of another file');
  await terminal.until(/▌\+return 'the end';/, 'the mark of the chosen line');
  expect(await drawnLine(terminal, /\+return/)).not.toMatch(/\u001b\[[\d;]*4[0-7]m/);
  await terminal.keys('Escape');
  await terminal.until(/s reply/, 'the list');
});
