import type { PermissionMode, Session } from '../../src/protocol/index.ts';
import type { Cbos } from './cbos.ts';
import type { ClaudeWorld } from './claude.ts';

export interface SpareSession {
  slug: string;
  /** PID.NAME of its Screen session */
  screenId: string;
}

/**
 * Sessions that the tests in one file pass on to each other, because launching Claude Code takes 2 to 3 s of processor
 * time. A test gets a session in the state in which a launch leaves it: idle, with an empty conversation, nothing in
 * its prompt, nothing queued, and the permission mode that it was launched with. If a test leaves a session in a
 * different state, the session is ended and the next test launches a new one.
 */
export interface SpareSessions {
  take(mode?: PermissionMode): Promise<SpareSession>;
  /** call it after each test; other tests may then take this test's sessions */
  giveBack(): void;
}

interface Spare extends SpareSession {
  mode: PermissionMode;
  isTaken: boolean;
}

export interface SpareSessionsOptions {
  world: ClaudeWorld;
  /** returns the current server, because tests kill it and start another */
  cbos(): Cbos;
}

/** How long to wait for a turn that a test left running. After that, the session is given up. */
const REST_TIMEOUT_MS = 5_000;
/** How long the screen must stay unchanged. A turn that has just begun shows a spinner within this time. */
const STILL_MS = 400;
/** An empty prompt between its two rules. A launch leaves no text in it, not even a suggestion. */
const EMPTY_PROMPT = /^─+.*\n❯\s*\n─+/m;
/** The permission mode as Claude Code shows it below the prompt. */
const MODE_SHOWN = /\b(plan mode|accept edits|auto mode|bypass permissions) on\b/;

export function spareSessions({ world, cbos }: SpareSessionsOptions): SpareSessions {
  const spares: Spare[] = [];
  let count = 0;

  const launch = async (mode: PermissionMode): Promise<Spare> => {
    count += 1;
    const slug = `SPARE-${count}`;
    const body = { slug, type: 'screen', path: world.projectDir, permission_mode: mode };
    const created = await cbos().call<Session>('POST', '/sessions', body);
    if (created.error !== null) throw new Error(`${created.error.code}: ${created.error.message}`);
    await cbos().untilStatus(slug, 'idle/ready');
    const spare = { slug, mode, screenId: created.body.screen_id ?? '', isTaken: true };
    spares.push(spare);
    return spare;
  };

  const hasNothingQueued = async (slug: string): Promise<boolean> => {
    const { body: deliveries } = await cbos().call<{ status: string }[]>('GET', `/sessions/${slug}/deliveries`);
    const { body: stash } = await cbos().call<{ session: string | null }[]>('GET', '/stash');
    return (
      deliveries.every(({ status }) => status === 'delivered' || status === 'failed' || status === 'cancelled') &&
      !JSON.stringify(stash).includes(`"${slug}"`)
    );
  };

  /**
   * Waits until the session is idle, and clears its conversation. Returns false if the session is not in the state in
   * which a launch leaves it.
   */
  const renewed = async ({ slug, mode }: Spare): Promise<boolean> => {
    const isAsNew = (session: Session): boolean =>
      session.status.primary === 'idle' &&
      session.queue_stopped_at === null &&
      EMPTY_PROMPT.test(session.buffer_tail ?? '') &&
      MODE_SHOWN.exec(session.buffer_tail ?? '')?.[1] === (mode === 'plan' ? 'plan mode' : undefined);
    try {
      const isGivenUp = ({ status }: Session): boolean => status.primary === 'waiting' || status.primary === 'dead';
      const found = await cbos().until(
        slug,
        (session) => isGivenUp(session) || (isAsNew(session) && session.status.unchanged_ms > STILL_MS),
        'is at rest',
        REST_TIMEOUT_MS,
      );
      if (!isAsNew(found) || !(await hasNothingQueued(slug))) return false;
      const cleared = await cbos().call('POST', `/sessions/${slug}/send`, { text: '/clear', command: true });
      if (cleared.error !== null) return false;
      await cbos().until(
        slug,
        (session) => isAsNew(session) && session.status.detail === 'ready',
        'has an empty conversation',
        REST_TIMEOUT_MS,
      );
      return true;
    } catch {
      return false;
    }
  };

  return {
    take: async (mode = 'default') => {
      for (const spare of spares.filter((one) => one.mode === mode && !one.isTaken)) {
        if (await renewed(spare)) {
          spare.isTaken = true;
          return spare;
        }
        spares.splice(spares.indexOf(spare), 1);
        await cbos().call('DELETE', `/sessions/${spare.slug}`);
      }
      return launch(mode);
    },
    giveBack: () => {
      for (const spare of spares) spare.isTaken = false;
    },
  };
}
