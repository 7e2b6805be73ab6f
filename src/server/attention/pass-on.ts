import type { Session } from '../../protocol/index.ts';
import type { Sessions } from '../sessions.ts';

/** The methods whose results contain no session, so nothing is added to them. */
const PASSED = [
  'conversations',
  'questionId',
  'standing',
  'restoration',
  'resources',
  'remove',
  'buffer',
  'deliveries',
  'delivery',
  'changeDelivery',
  'cancelDelivery',
  'events',
  'lastResponse',
  'sessionCosts',
  'costs',
  'explain',
  'stash',
  'addToStash',
  'removeFromStash',
  'history',
  'transcript',
  'historyDays',
  'search',
  'stream',
  'streams',
  'turn',
  'holdTurn',
  'whileQuiet',
] as const satisfies readonly (keyof Sessions)[];

type Passed = Pick<Sessions, (typeof PASSED)[number]>;

/** The methods that change a session and return it. */
type Returning = Pick<
  Sessions,
  | 'create'
  | 'fork'
  | 'adopt'
  | 'patch'
  | 'restart'
  | 'convert'
  | 'park'
  | 'wake'
  | 'finish'
  | 'keepPullRequest'
  | 'skipSetUp'
  | 'resumeQueue'
  | 'resize'
>;

/** Wraps these methods so that `shown` is applied to the session that each method returns. */
export function showThrough(base: Returning, shown: (session: Session) => Session): Returning {
  return {
    create: async (request) => shown(await base.create(request)),
    fork: async (slug, request) => shown(await base.fork(slug, request)),
    adopt: async (request) => shown(await base.adopt(request)),
    patch: async (slug, request) => shown(await base.patch(slug, request)),
    restart: async (slug, how) => shown(await base.restart(slug, how)),
    convert: async (slug, type) => shown(await base.convert(slug, type)),
    park: async (slug) => shown(await base.park(slug)),
    wake: async (slug) => shown(await base.wake(slug)),
    finish: async (slug, request) => shown(await base.finish(slug, request)),
    skipSetUp: async (slug) => shown(await base.skipSetUp(slug)),
    keepPullRequest: (slug, request) => shown(base.keepPullRequest(slug, request)),
    resumeQueue: (slug) => shown(base.resumeQueue(slug)),
    resize: async (slug, cols, rows) => shown(await base.resize(slug, cols, rows)),
  };
}

/**
 * Passes calls of these methods on unchanged. Each method is looked up when it is called, because it may have been
 * replaced.
 */
export function passOn(base: Passed): Passed {
  const calls = PASSED.map((name) => [
    name,
    (...given: unknown[]) => (base[name] as (...given: unknown[]) => unknown).apply(base, given),
  ]);
  return Object.fromEntries(calls) as unknown as Passed;
}
