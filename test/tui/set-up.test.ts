import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RepositoryWorktrees, SetUp } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { SINCE } from '../harness/some-session.ts';
import { LOST } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

let server: FacesUnderTest;
let repository: WorktreeRepository;
beforeAll(async () => {
  server = await startFaces();
  repository = createWorktreeRepository(server.world);
  repository.commit('first', { 'a.txt': 'a\n' });
  await server.sessions.create({ slug: 'AUTH', path: repository.path, worktree: {} });
});
afterAll(() => server[Symbol.asyncDispose]());

function setUpIs(some: Partial<SetUp>): void {
  const { worktree } = server.sessions.get('AUTH');
  if (worktree === undefined) throw new Error('no worktree');
  const set_up: SetUp = {
    command: 'npm ci',
    from: 'project',
    state: 'untrusted',
    exit_code: null,
    after_failure: 'stop',
    at: SINCE,
    ...some,
  };
  server.sessions.change('AUTH', { worktree: { ...worktree, set_up } });
}
const setUpState = (): string | undefined => server.sessions.get('AUTH').worktree?.set_up?.state;
async function fileState(): Promise<string | undefined> {
  const answer = await server.call(`/worktrees?path=${encodeURIComponent(repository.path)}`);
  return (answer.json() as RepositoryWorktrees[])[0]?.set_up?.state;
}

test("W shows a repository's own set-up; it is trusted after its end was read, and only as it was read", async () => {
  const filler = '# a line\n'.repeat(40);
  repository.write('.cbos/worktree.toml', `# \u202e\n${filler}set_up = "npm ci\\u001b; echo \u202ex"\n`);
  setUpIs({});
  const terminal = await openTerminal(server.world, { cols: 80, rows: 24 });
  await terminal.until(/W set-up/, 'the key');
  await terminal.keys('W');
  await terminal.until(/npm ci did not run, because nobody has trusted it/, 'why it did not run');
  await terminal.until(/worktree\.toml: not trusted/, 'the state of the file');
  // The escape in the TOML string and the mark that reorders text are part of the command.
  await terminal.until(/The command:\s+npm ci\\u001b; echo \\u202ex[\s\S]*# \\u202e/, 'all of the command');
  await terminal.keys('t');
  await terminal.until(/Read the file to the end first/, 'that it must be read');
  await terminal.keys('G');
  await terminal.until(/set_up = "npm ci/, 'the end of the file');
  await terminal.keys('t');
  await terminal.until(/Run this in every new worktree of .*\(y\/n\)/, 'the question');
  repository.write('.cbos/worktree.toml', 'set_up = "curl evil"\n');
  await terminal.keys('y');
  await terminal.until(/contains the set-up has changed/, 'that this is not what was read');
  expect(await fileState()).toBe('untrusted');

  await terminal.keys('W');
  await terminal.until(/The command:\s+curl evil/, 'what the file now names');
  await terminal.keys('t');
  await terminal.until(/Run this in every new worktree/, 'the question');
  await terminal.keys('n');
  await terminal.until(/W set-up/, 'the list');
  expect(await fileState()).toBe('untrusted');
  await terminal.keys('W');
  await terminal.until(/The command:\s+curl evil/, 'the file');
  await terminal.keys('t');
  await terminal.until(/Run this in every new worktree/, 'the question');
  await terminal.keys('y');
  await terminal.until(/curl evil runs in each new worktree from now on/, 'that it is trusted');
  expect(await fileState()).toBe('trusted');
  await terminal.keys('W');
  await terminal.until(
    /is trusted now, and runs when[\s\S]*worktree\.toml: trusted[\s\S]*u stop trusting/,
    'that it is trusted',
  );
  await terminal.keys('u');
  await terminal.until(/Stop trusting the set-up/, 'the question');
  await terminal.keys('y');
  await terminal.until(/is no longer trusted/, 'that it is not trusted');
  expect(await fileState()).toBe('untrusted');
});

test('a set-up that failed in a session that still runs is run again by its next prompt', async () => {
  setUpIs({ state: 'failed', exit_code: 7 });
  const terminal = await openTerminal(server.world, { cols: 80, rows: 24 });
  await terminal.until(/W set-up/, 'the key');
  await terminal.keys('W');
  const screen = await terminal.until(/npm ci ended with exit code 7; the next prompt runs it again/, 'what runs it');
  expect(screen).not.toContain('r run it again');
});

test('a failed set-up is run again or skipped, the latter after a question', async () => {
  server.sessions.change('AUTH', LOST);
  setUpIs({ state: 'failed', exit_code: 7 });
  const terminal = await openTerminal(server.world, { cols: 80, rows: 24 });
  await terminal.until(/W set-up/, 'the key');
  await terminal.keys('W');
  await terminal.until(/npm ci ended with exit code 7[\s\S]*r run it again {2}s skip it/, 'how it failed');
  await terminal.keys('s');
  await terminal.until(/Skip the set-up of AUTH\? \(y\/n\)/, 'the question');
  await terminal.until(/cannot be undone[\s\S]*npm ci/, 'what it means');
  await terminal.keys('n');
  await terminal.until(/W set-up/, 'the list');
  expect(setUpState()).toBe('failed');
  await terminal.keys('W');
  await terminal.until(/r run it again/, 'the page');
  await terminal.keys('r');
  await terminal.until(/AUTH restarted/, 'that it is restarted');
  await waitFor(() => server.sessions.get('AUTH').state !== 'dead', { describe: 'it runs' });

  server.sessions.change('AUTH', LOST);
  await terminal.until(/x delete/, 'that it is stopped again');
  await terminal.keys(':');
  await terminal.type('set-up skip');
  await terminal.keys('Enter');
  await terminal.until(/Skip the set-up of AUTH\?/, 'the question');
  await terminal.keys('y');
  await terminal.until(/AUTH starts without its set-up — r restarts it/, 'what comes next');
  expect(setUpState()).toBe('skipped');
  await terminal.untilGone(/W set-up/, 'key');
  await terminal.keys(':');
  await terminal.type('set-up skip');
  await terminal.keys('Enter');
  await terminal.until(/AUTH has no set-up that is still to run/, 'that there is nothing to skip');
});
