import { CatalogueError, isDoneSince } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';
import type { SessionControls } from '../session/controls.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How often to check which sessions can be parked. A check only reads memory, and it does not matter if a session is
 * parked a minute late.
 */
const LOOK_MS = 30_000;

interface Parkable {
  actor: Pick<SessionActor, 'slug' | 'isListed' | 'isParked' | 'isDead' | 'view'>;
  controls: Pick<SessionControls, 'park'>;
}

/**
 * Parks terminal sessions that have been done for long enough. A session that needs attention is left alone, so that a
 * closing question stays visible in the list.
 * @param options.afterSeconds how long a session must have been done; 0 means that no session is parked
 */
export function parkIdle(options: {
  listed: { all(): Parkable[] };
  clock: Clock;
  log: Logger;
  afterSeconds: number;
}): Dispose {
  const { listed, clock, log, afterSeconds } = options;
  if (afterSeconds === 0) return () => undefined;
  let stop: Dispose | null = null;
  let isDisposed = false;

  async function look(): Promise<void> {
    for (const { actor, controls } of listed.all()) {
      if (!isDisposed && isIdleSince(actor, clock.now() - afterSeconds * 1_000)) await park(actor.slug, controls);
    }
    if (!isDisposed) again();
  }

  async function park(slug: string, controls: Parkable['controls']): Promise<void> {
    try {
      await controls.park();
      log.info({ slug }, 'the session was idle for the set time, so CBOS parked it');
    } catch (cause) {
      // Whatever prevents parking, such as a draft or a shell, may last for hours, so this is logged only at debug
      // level.
      if (cause instanceof CatalogueError)
        log.debug({ slug, code: cause.code }, 'the session is idle, but CBOS did not park it');
      else log.error({ slug, err: cause }, 'an idle session could not be parked');
    }
  }

  function again(): void {
    stop = clock.after(Math.min(LOOK_MS, afterSeconds * 1_000), () => void look());
  }
  again();
  return () => {
    isDisposed = true;
    stop?.();
  };
}

function isIdleSince(actor: Parkable['actor'], since: number): boolean {
  return actor.isListed() && !actor.isParked() && !actor.isDead() && isDoneSince(actor.view(), since);
}
