import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { DONE, WORKING } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

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
