import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import { type Forge, startForge } from '../harness/forge.ts';
import { startGitLab } from '../harness/gitlab.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
const hasGh = findOnPath(['gh'], process.env.PATH) !== null;
const hasGlab = findOnPath(['glab'], process.env.PATH) !== null;

describe.skipIf(!hasGh)('finish --pr', () => {
  let repository: WorktreeRepository;
  let forge: Forge;
  const run = (argv: string[], options: Partial<CommandOptions> = {}) =>
    runCommand(argv, { ...cli.where, cwd: repository.path, ...options });
  beforeEach(async () => {
    repository = createWorktreeRepository(cli.server.world);
    repository.commit('first', { 'a.txt': 'a\n' });
    forge = await startForge(cli.server.world, repository, 'SUCCESS');
    await run(['new', 'AUTH', '--worktree', 'fix/login']);
    const folder = join(repository.path, '.claude', 'worktrees', 'AUTH');
    writeFileSync(join(folder, 'a.txt'), 'b\n');
    repository.gitIn(folder, 'commit', '--quiet', '--all', '--message', 'Let guests in\n\nThey wait.');
  });

  test('shows the texts and where they go, asks, and opens it; the list shows its checks', async () => {
    const refused = await run(['finish', 'AUTH', '--pr'], { isTTY: true, stdin: 'n\n' });
    expect([refused.code, forge.requests]).toEqual([1, []]);
    expect(refused.stderr).toContain('cbos: Let guests in\ncbos: \ncbos: They wait.\n');
    expect(refused.stderr).toContain(
      `Push fix/login (1 commit) to ${forge.repository}, and open a pull request into main?`,
    );
    expect((await run(['finish', 'AUTH', '--pr'])).code, 'nobody can be asked').toBe(2);
    writeFileSync(join(repository.path, '.git/hooks/pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const hooks = 'cbos: CBOS runs no hooks of the repository; git hook that';
    const hooked = await run(['finish', 'AUTH', '--pr'], { isTTY: true, stdin: 'n\n' });
    expect(hooked.stderr).toContain(`${hooks} will not run: pre-push\n`);
    const opened = await run(['finish', 'AUTH', '--pr', '--title', 'Guests', '--draft', '--yes']);
    expect(opened.stderr).toBe(`${hooks} did not run: pre-push\n`);
    expect(opened.stdout).toBe(`AUTH has the pull request #1: https://${forge.repository}/pull/1\n`);
    expect(forge.requests).toMatchObject([{ title: 'Guests', body: 'They wait.', draft: true, base: { ref: 'main' } }]);
    // The state was requested once. Another list within two minutes does not request it again.
    await waitFor(() => forge.calls.includes('POST /graphql'), { describe: 'its state is asked for' });
    await waitFor(async () => /PR\s+[\s\S]*#1 passing/.test((await run(['ls', '-l'])).stdout), {
      describe: 'the list shows it',
    });
    expect(forge.calls.filter((call) => call === 'POST /graphql')).toHaveLength(1);
    expect((await run(['show', 'AUTH'])).stdout).toContain(`https://${forge.repository}/pull/1`);
    const again = await run(['finish', 'AUTH', '--pr'], { isTTY: true, stdin: 'n\n' });
    expect(again.stderr).toContain('for its pull request #1?');
  });
});

test.skipIf(!hasGlab)('finish --pr opens a merge request on GitLab; the list shows its pipeline', async () => {
  const repository = createWorktreeRepository(cli.server.world, 'on-gitlab');
  repository.commit('first', { 'a.txt': 'a\n' });
  const gitlab = await startGitLab(cli.server.world, repository, 'success');
  const run = (argv: string[], options: Partial<CommandOptions> = {}) =>
    runCommand(argv, { ...cli.where, cwd: repository.path, ...options });
  await run(['new', 'SHOP', '--worktree', 'fix/login']);
  const folder = join(repository.path, '.claude', 'worktrees', 'SHOP');
  repository.gitIn(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Let guests in');
  const refused = await run(['finish', 'SHOP', '--pr'], { isTTY: true, stdin: 'n\n' });
  expect(refused.stderr).toContain(`to ${gitlab.repository}, and open a merge request into main?`);
  expect(refused.stderr).toContain('no merge request of SHOP was opened');
  const opened = await run(['finish', 'SHOP', '--pr', '--yes']);
  expect(opened.stdout).toBe(`SHOP has the merge request !1: https://${gitlab.repository}/-/merge_requests/1\n`);
  await waitFor(async () => /PR\s+[\s\S]*!1 passing/.test((await run(['ls', '-l'])).stdout), {
    describe: 'the list shows it',
  });
});

test('--pr cannot be combined with another way to finish, and its options need it', async () => {
  await runCommand(['new', 'AUTH'], cli.where);
  for (const argv of [
    ['--pr', '--merge'],
    ['--merge', '--title', 'x'],
    ['--keep', '--draft'],
  ])
    expect((await runCommand(['finish', 'AUTH', ...argv, '--yes'], cli.where)).code, argv.join(' ')).toBe(2);
});
