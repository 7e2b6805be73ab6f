/**
 * Pull requests for the branches of sessions, through the user's own `gh` or `glab` program. CBOS itself is not logged
 * in anywhere, and requests the state of a pull request only while somebody is looking at it (ADR 53).
 *
 * - planning what is pushed, with its title and text: `src/platform/git/plan-push.ts`
 * - pushing the branch: `src/platform/git/push-branch.ts`
 * - finding out on which forge the repository is, and sending requests to it: `src/platform/forge/find-forge.ts`
 */
import { type ForgeRepository, forgeRepository, repositoryText } from '../../platform/forge/address.ts';
import { FORGES, findForge } from '../../platform/forge/find-forge.ts';
import type { ForgeOptions } from '../../platform/forge/forge.ts';
import { requireRecorded } from '../../platform/git/finish-worktree.ts';
import { type PushPlan, planPush } from '../../platform/git/plan-push.ts';
import { pushBranch } from '../../platform/git/push-branch.ts';
import {
  CatalogueError,
  type NewPullRequest,
  type PullRequest,
  type PullRequestPlan,
  type Session,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { createSlots } from '../slots.ts';
import { requireWorktree } from './require-worktree.ts';

/**
 * The shortest time between two requests for the state of the same pull request, however many clients are looking at
 * it.
 */
export const MOST_OFTEN_MS = 120_000;
/** How long to wait before the next request if the forge has failed to answer. */
const AFTER_FAULT_MS = 600_000;

export interface PullRequests {
  /** @throws CatalogueError no_worktree, and everything that `planPush` and `findForge` throw */
  plan(slug: string, into: string | null): Promise<PullRequestPlan>;
  /**
   * @throws CatalogueError pull_request_changed, pull_request_exists, push_refused, and everything that `plan` throws
   */
  open(slug: string, request: NewPullRequest): Promise<Session>;
  /** Starts to request the states of open pull requests that have not been requested recently. @returns the sessions */
  look(slugs: readonly string[] | null): string[];
  dispose: Dispose;
}

export interface PullRequestsOptions {
  sessions: Pick<Sessions, 'get' | 'list' | 'keepPullRequest'>;
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  /** a folder in the home that is used for nothing else */
  scratchDir: string;
  clock: Pick<Clock, 'now' | 'elapsed'>;
  log: Logger;
}

export function createPullRequests(options: PullRequestsOptions): PullRequests {
  const { sessions, environment, scratchDir, clock, log } = options;
  const ending = new AbortController();
  const asking: ForgeOptions = { environment, signal: ending.signal, now: () => clock.now() };
  const openInTurn = createSlots(1);
  const askInTurn = createSlots(1);
  /** when the state of each pull request may be requested again, by the pull request's URL */
  const askableAt = new Map<string, number>();

  async function read(slug: string, into: string | null): Promise<{ push: PushPlan; plan: PullRequestPlan }> {
    const worktree = requireWorktree(slug, sessions.get(slug).worktree);
    await requireRecorded({ environment }, { session: slug, worktree });
    const push = await planPush({ cwd: worktree.path, environment }, worktree, into);
    const { forge, existing } = await findForge(push.repository, push.branch, asking);
    const { remote, branch, base, commit, commits, title, body, skippedHooks: skipped_hooks } = push;
    const repository = repositoryText(push.repository);
    const content = { branch, base, commit, commits, title, body, skipped_hooks };
    return { push, plan: { forge, repository, remote, existing, ...content } };
  }

  async function open(slug: string, request: NewPullRequest): Promise<Session> {
    const { push, plan } = await read(slug, request.into ?? null);
    if (plan.repository !== request.repository || plan.commit !== request.commit) {
      throw new CatalogueError('pull_request_changed');
    }
    if ((plan.existing?.number ?? null) !== (request.number ?? null)) {
      throw new CatalogueError(plan.existing === null ? 'pull_request_changed' : 'pull_request_exists');
    }
    await pushBranch({ ...push, scratchDir, environment, signal: ending.signal });
    const { branch: head, base } = push;
    const { title, body, draft = false } = request;
    const content = { head, base, title, body, draft };
    const opened = plan.existing ?? (await FORGES[plan.forge].create(push.repository, content, asking));
    if (opened === null) throw new CatalogueError('pull_request_exists');
    const kept = sessions.keepPullRequest(slug, opened);
    ask(slug, push.repository, opened);
    return kept;
  }

  function ask(slug: string, repository: ForgeRepository, known: PullRequest): void {
    askableAt.set(known.url, clock.elapsed() + MOST_OFTEN_MS);
    askInTurn(async () => {
      if (ending.signal.aborted) return;
      const state = await FORGES[known.forge].readState(repository, known, asking);
      if (!ending.signal.aborted && sessions.get(slug).worktree?.pull_request?.url === known.url) {
        sessions.keepPullRequest(slug, state);
      }
    }).catch((cause: unknown) => {
      askableAt.set(known.url, clock.elapsed() + AFTER_FAULT_MS);
      if (!ending.signal.aborted) log.info({ err: cause, slug }, 'the state of a pull request could not be read');
    });
  }

  return {
    plan: async (slug, into) => (await read(slug, into)).plan,
    open: (slug, request) => openInTurn(() => open(slug, request)),
    look: (slugs) => {
      const seen = slugs === null ? null : new Set(slugs);
      return sessions.list().flatMap(({ slug, worktree }) => {
        const request = worktree?.pull_request;
        if (request === undefined || request.state !== 'open' || seen?.has(slug) === false) return [];
        if (clock.elapsed() < (askableAt.get(request.url) ?? 0)) return [];
        const repository = forgeRepository(`https://${request.repository}`);
        if (repository === null) return [];
        ask(slug, repository, request);
        return [slug];
      });
    },
    dispose: () => ending.abort(),
  };
}
