import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { DONE } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

let server: FacesUnderTest;
let repository: TestRepository;
beforeAll(async () => {
  server = await startFaces();
  repository = createRepository(server.world);
  repository.write('a.txt', 'one\ntwo\nthree\n');
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
  repository.write('a.txt', 'one\n2\nthree\n');
});
afterAll(() => server[Symbol.asyncDispose]());

test('c comments on a line or on several, R shows what would be sent, and sends it after a yes', async () => {
  server.sessions.add('AUTH', { ...DONE, path: repository.dir });
  const terminal = await openTerminal(server.world, { cols: 120, rows: 34 });
  await terminal.until(/s reply/, 'the list');
  await terminal.keys('d');
  await terminal.until(/AUTH changed 1 file/, 'what was changed');
  await terminal.keys('c');
  await terminal.until(/A comment belongs to one file/, 'that this is no line');
  await terminal.keys('G');
  await terminal.until(/▌ three/, 'the last line');
  await terminal.keys('k');
  await terminal.until(/▌\+2/, 'the line that was added');
  await terminal.keys('c');
  await terminal.until(/Comment on a\.txt, line 2/, 'the field');
  await terminal.type('Use a word.');
  await terminal.keys('Enter');
  await terminal.until(/▌\+2/, 'the line again');
  await terminal.keys('v', 'j');
  await terminal.until(/▌\+2[\s\S]*▌ three/, 'both lines');
  await terminal.keys('c');
  await terminal.until(/Comment on a\.txt, lines 2–3/, 'the field');
  await terminal.type('Both.');
  await terminal.keys('Enter');
  await terminal.until(/▌ three/, 'the line again');
  await terminal.keys('m');
  await terminal.until(/✓ reviewed/, 'that the file is marked');
  await terminal.keys('R');
  await terminal.until(/round 1: 2 comments to send[\s\S]*Use a word\.[\s\S]*Both\./, 'the review');
  await terminal.keys('s');
  await terminal.until(
    /Send this to AUTH as round 1\?[\s\S]*Review of your changes, round 1[\s\S]*Then report for each/,
    'it',
  );
  await terminal.keys('n');
  await terminal.until(/s reply/, 'the list');
  expect(server.sessions.deliveries('AUTH')).toEqual([]);
  await terminal.keys('d');
  await terminal.until(/AUTH changed 1 file/, 'what was changed');
  await terminal.keys('R');
  await terminal.until(/s send it/, 'the review');
  await terminal.keys('s');
  await terminal.until(/Send it\? \(y\/n\)/, 'the question');
  await terminal.keys('y');
  await waitFor(() => server.sessions.deliveries('AUTH').length === 1, { describe: 'the prompt is sent' });
  const prompt = server.sessions.deliveries('AUTH')[0]?.text ?? '';
  expect(prompt).toContain('> 2\nUse a word.');
  expect(prompt).toContain('> 2\n> three\nBoth.');
});
