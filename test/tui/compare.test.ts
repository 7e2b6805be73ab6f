import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { openTerminal } from '../harness/tmux.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

let server: FacesUnderTest;
let repository: WorktreeRepository;
beforeAll(async () => {
  server = await startFaces();
  repository = createWorktreeRepository(server.world);
  repository.commit('first', { 'a.txt': 'a\n' });
  for (const slug of ['FIX-1', 'FIX-2', 'FIX-3', 'FIX-4', 'OTHER']) {
    await server.sessions.create({ slug, path: repository.path, type: 'json', worktree: { from: 'main' } });
  }
});
afterAll(() => server[Symbol.asyncDispose]());

const folderOf = (slug: string): string => join(repository.path, '.claude', 'worktrees', slug);

test('C compares the attempts at a task in 80 columns, with keys to the changes of one and to finishing it', async () => {
  writeFileSync(join(folderOf('FIX-2'), 'a.txt'), 'fixed\nwell\n');
  const tests = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } };
  const failed = { type: 'tool_result', tool_use_id: 't', is_error: true, content: '' };
  server.sessions.write('FIX-1', { type: 'assistant', message: { content: [tests] } });
  server.sessions.write('FIX-1', { type: 'user', message: { content: [failed] } });
  server.sessions.happen('FIX-1', { type: 'result', subtype: 'success', result: 'All \u202egood.\u001b[2J' });
  const terminal = await openTerminal(server.world, { cols: 80, rows: 24 });
  await terminal.until(/▌[^\n]*FIX-1/, 'the list');
  await terminal.keys('C');
  await terminal.until(/Compare: 4 sessions, 1 to 3/, 'the attempts, as many as fit');
  await terminal.until(/ FIX-1 +FIX-2 +FIX-3\s*\n/, 'their names');
  await terminal.until(/Tests +failed: npm test/, 'the outcome of the tests');
  await terminal.until(/Changes +no changes against +1 file, \+2 −1 /, 'what they changed');
  // Nothing in an answer is hidden or reordered, and no escape reaches the terminal.
  await terminal.until(/Last words All\s+\\u202egood\.\\u001b\[2J/, 'the last words');

  await terminal.keys('Right', 'Right', 'Right');
  await terminal.until(/Compare: 4 sessions, 2 to 4[\s\S]* FIX-2 +FIX-3 +FIX-4/, 'the sessions further right');
  await terminal.keys('Left', 'Left');
  writeFileSync(join(folderOf('FIX-2'), 'b.txt'), 'b\n');
  await terminal.keys('r');
  await terminal.until(/2 files, \+3 −1/, 'what changed in the meantime');
  await terminal.keys('d');
  await terminal.until(/FIX-2 changed 2 files/, 'the changes of the chosen session');
  await terminal.keys('Escape');
  await terminal.until(/Compare: 4 sessions/, 'the comparison again');
  await terminal.keys('F');
  await terminal.until(/Finish FIX-2[\s\S]*saved, but not committed: a\.txt, b\.txt/, 'what finishing it means');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
});

test('/compare takes names, and C compares marked sessions; a single session has nothing to be compared with', async () => {
  const terminal = await openTerminal(server.world, { cols: 130, rows: 34 });
  await terminal.until(/▌[^\n]*FIX-1/, 'the list');
  const command = async (words: string): Promise<void> => {
    await terminal.keys(':');
    await terminal.type(words);
    await terminal.keys('Enter');
  };
  await command('compare OTHER FIX-3');
  await terminal.until(/Compare: 2 sessions[\s\S]* OTHER +FIX-3/, 'the named sessions, in that order');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
  await command('compare OTHER GONE');
  await terminal.until(/No session is named GONE/, 'that one is missing');
  await terminal.keys('G');
  await terminal.until(/▌[^\n]*OTHER/, 'a session without other attempts');
  await terminal.keys('C');
  await terminal.until(/Nothing to compare with — mark sessions with Space/, 'what to do');
  await terminal.keys('Space', 'k', 'Space');
  await terminal.until(/write to 2/, 'two marks');
  await terminal.keys('C');
  await terminal.until(/Compare: 2 sessions/, 'the marked sessions');
  await terminal.keys('Enter');
  await terminal.until(/C compare/, 'the list, with its marks');
  expect(server.sessions.typed.size).toBe(0);
});
