import { type HookSpool, watchHookSpool } from '../../platform/claude/index.ts';
import { watchScreens } from '../../platform/gnu-screen/index.ts';
import { isAlive } from '../../platform/process/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';
import { followRecords } from './follow-records.ts';
import { createHookIntake, type HookSources } from './hook-intake.ts';
import { ownerOf } from './owner.ts';
import { createScreenSurvey, type SurveyOptions } from './survey-screens.ts';

/**
 * How often to check whether Claude Code's processes are alive. A process that ends normally is noticed through
 * inotify, because Screen's socket and the registry file disappear. Only this sweep finds a killed process whose Screen
 * session still exists. The sweep takes 2 ms for 50 sessions.
 */
const SWEEP_MS = 3_000;
/**
 * How long to wait for further changes before checking. A registry file or a socket often appears in several steps, and
 * one check after the last step is enough.
 */
const LOOK_DELAY_MS = 20;

export interface ObserverOptions extends SurveyOptions, HookSources {
  clock: Clock;
  spoolDir: string;
  /** called when the spool was removed and recreated */
  onSpoolRemade: () => void;
  /** called when any process creates, releases, or removes a turn gate */
  onGateChanged: () => void;
  /** called when any process writes or removes the guard of calls */
  onGuardChanged: () => void;
}

/** Watches everything outside the server, and passes the evidence to each session. */
export interface Observer {
  /**
   * Checks the current state of everything, and then keeps watching for changes. Resolves when the first check is done.
   */
  start(): Promise<void>;
  /** Immediately checks Screen's sessions and the processes in them. */
  look(): Promise<void>;
  dispose(): Promise<void>;
}

export function createObserver(options: ObserverOptions): Observer {
  const { listed, screen, clock, log } = options;
  const survey = createScreenSurvey(options, lookSoon);
  const disposers: Dispose[] = [];
  const isDisposed = (): boolean => disposed;
  const records = followRecords(options, lookSoon, isDisposed);
  const hooks = createHookIntake(options, () => void records.followAccounts(), isDisposed);
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let due: Dispose | null = null;
  let sweep: Dispose | null = null;
  let spool: HookSpool | null = null;
  let disposed = false;

  /** Runs one check at a time. A change during a check causes another check right afterwards. */
  function look(): Promise<void> {
    if (looking !== null) {
      lookAgain = true;
      return looking;
    }
    looking = survey
      .look()
      .then(records.claim)
      .catch((cause: unknown) => log.error({ err: cause }, 'the check of the sessions failed'))
      .finally(() => {
        looking = null;
        if (lookAgain) {
          lookAgain = false;
          lookSoon();
        }
      });
    return looking;
  }
  function lookSoon(): void {
    if (disposed) return;
    due ??= clock.after(LOOK_DELAY_MS, () => {
      due = null;
      void look();
    });
  }

  /** Nobody knows which hooks were lost, so every session is told. */
  function spoolRemade(): void {
    log.error(
      { dir: options.spoolDir },
      'the hook spool was removed and recreated: hooks from that moment are lost, and the status comes from the screen until the next hooks',
    );
    options.onSpoolRemade();
    for (const { actor } of listed.all()) if (!actor.isDead()) actor.intake.loseHooks();
  }

  return {
    start: async () => {
      await dropWhatOthersHave(options);
      await look();
      disposers.push(watchScreens(screen.dir, lookSoon), records.dispose);
      await records.follow(options.registryDir);
      await records.followAccounts();
      spool = watchHookSpool({
        dir: options.spoolDir,
        now: clock.now,
        accept: hooks.see,
        onRemade: spoolRemade,
        onGateChanged: options.onGateChanged,
        onGuardChanged: options.onGuardChanged,
        onRejected: (file, reason) => log.warn({ file, reason }, 'a hook file was rejected'),
        onError: (cause) => log.error({ err: cause }, 'the hook spool could not be read'),
      });
      await spool.drain();
      await hooks.leaveUnknownWaits();
      const again = (): void => {
        sweep = clock.after(SWEEP_MS, () => {
          void records.followAccounts();
          void look().finally(() => disposed || again());
        });
      };
      again();
    },
    look,
    dispose: async () => {
      disposed = true;
      survey.dispose();
      await spool?.dispose();
      due?.();
      sweep?.();
      for (const dispose of disposers) dispose();
    },
  };
}

/**
 * Removes listed sessions that do not belong here. Older servers did not check the mark, so they listed sessions of
 * other homes, and listed renamed sessions twice. Such sessions were only observed, so removing them loses nothing.
 */
async function dropWhatOthersHave({ listed, home }: ObserverOptions): Promise<void> {
  for (const member of listed.all()) {
    const { adopted, agent } = member.actor.record;
    if (adopted || agent === null || !(await isAlive(agent))) continue;
    if (ownerOf(listed, home, agent.pid).kind !== 'nobody') listed.remove(member);
  }
}
