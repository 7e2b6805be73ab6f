import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PullRequestPlan } from '../../src/protocol/index.ts';
import type { Answered, FacesUnderTest } from './faces.ts';
import { callRoute } from './rest.ts';
import type { WorktreeRepository } from './worktree-repository.ts';

/** The session whose pull request is planned and opened. */
const AUTH = { params: { slug: 'AUTH' } };

/** Adds a file in a worktree, commits it, and returns the commit. */
export function commitFile(
  repository: WorktreeRepository,
  worktree: string,
  { name, message }: { name: string; message: string },
): string {
  writeFileSync(join(worktree, name), `${name}\n`);
  repository.gitIn(worktree, 'add', '--', name);
  repository.gitIn(worktree, 'commit', '--quiet', '--message', message);
  return repository.gitIn(worktree, 'rev-parse', 'HEAD');
}

export async function planPullRequest(server: FacesUnderTest): Promise<PullRequestPlan> {
  const answer = await callRoute(server, 'planPullRequest', AUTH);
  expect(answer.status, answer.text).toBe(200);
  return answer.json() as PullRequestPlan;
}

/** Requests a plan that is refused. Returns the error's code and the whole answer. */
export async function planFault(server: FacesUnderTest): Promise<[code: unknown, text: string]> {
  const answer = await callRoute(server, 'planPullRequest', AUTH);
  return [answer.code(), answer.text];
}

/** Opens a pull request as it was shown. */
export function openPullRequest(
  server: FacesUnderTest,
  shown: PullRequestPlan,
  more: { draft?: boolean } = {},
): Promise<Answered> {
  const { repository, commit, title, body, existing } = shown;
  const number = existing === null ? {} : { number: existing.number };
  return callRoute(server, 'openPullRequest', {
    ...AUTH,
    body: { repository, commit, title, body, ...number, ...more },
  });
}
