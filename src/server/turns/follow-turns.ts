import { isInRepository } from '../../platform/git/git-dir.ts';
import type { KeptTurn } from '../../platform/git/turn-refs.ts';
import type { TurnKeeper } from '../../platform/git/turns.ts';
import { CatalogueError, isInTurn, placeOf, rowOf, type Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Sessions } from '../sessions.ts';
import { createSlots } from '../slots.ts';

/**
 * How long a session's tools wait at most while the files are saved as they were before the turn. For a repository of
 * 50,000 files, saving takes 0.2 s, which is less than the model needs to answer.
 */
const LONGEST_HOLD_MS = 3_000;
/** How long before a turn its prompt may have been sent, because the status changes only some time after the prompt. */
const PROMPT_LEAD_MS = 5_000;
/** How many characters of a turn's prompt are stored. */
const PROMPT_CHARS = 100;

export interface FollowTurnsOptions {
  sessions: Pick<Sessions, 'list' | 'onEvent' | 'turn' | 'holdTurn'>;
  keeper: TurnKeeper;
  clock: Clock;
  log: Logger;
  /** called after the files at the beginning of a turn have been saved */
  onKept: (folder: string) => Promise<void>;
}

export interface FollowedTurns {
  /** returns why the files of a session's last turn were not saved; null if they were saved */
  faultOf(id: string): string | null;
  /** Resolves when the files have been saved for all turns that have begun or ended in a session. */
  settled(id: string): Promise<void>;
  /** Stops following turns. Resolves when no saving is in progress any more. */
  dispose(): Promise<void>;
}

interface Followed {
  isRunning: boolean;
  /** the turn whose beginning has been saved but whose end has not */
  open: KeptTurn | null;
  lastEndAt: number;
  fault: string | null;
  done: Promise<void>;
}

/** Saves the files of every session that works in a git repository, whenever a turn begins or ends. */
export function followTurns(options: FollowTurnsOptions): FollowedTurns {
  const { sessions, keeper, clock } = options;
  const followed = new Map<string, Followed>();
  const ids = new Map<string, string>();
  const oneAtATime = createSlots(1);
  let isDisposed = false;
  const { begin, end, report } = createTurnSaver(options, (slug, from) => (isDisposed ? null : promptOf(slug, from)));

  function see(session: Session): Followed | null {
    const { slug } = session;
    const id = ids.get(slug);
    if (id === undefined) return null;
    const isNew = !followed.has(id);
    const fresh = { isRunning: false, open: null, lastEndAt: 0, fault: null, done: Promise.resolve() };
    const one: Followed = followed.get(id) ?? fresh;
    followed.set(id, one);
    const next = runsTurn(session);
    if (next === null || next === one.isRunning) return one;
    one.isRunning = next;
    const { adopted } = session;
    const path = placeOf(session);
    if (path === null || !adopted || !isInRepository(path)) return one;
    const at = Math.min(Date.parse(session.status.since ?? '') || clock.now(), clock.now());
    if (next) begin(one, { id, slug, folder: path, at, isOld: isNew });
    else end(one, { slug, at });
    return one;
  }

  /** Returns the session's prompt, unless it is from before the given time. */
  function promptOf(slug: string, from: number): string | null {
    try {
      const { prompt } = sessions.turn(slug);
      return prompt === null || prompt.at < from ? null : firstWords(prompt.text);
    } catch {
      return null;
    }
  }

  /** Reads the files in advance, so that the first turn of a new session does not have to wait for this. */
  function prepare(session: Session): void {
    const { slug, adopted } = session;
    const path = placeOf(session);
    const one = followed.get(ids.get(slug) ?? '');
    if (one === undefined || path === null || !adopted || one.isRunning || !isInRepository(path)) return;
    const prepared = oneAtATime(() => (isDisposed ? Promise.resolve() : keeper.prepare(path)));
    one.done = prepared.catch((cause: unknown) => report(one, slug, cause));
  }

  function list(session: Session): void {
    ids.set(session.slug, sessions.turn(session.slug).id);
    see(session);
  }

  const stop = sessions.onEvent((event) => {
    if (event.kind === 'added') {
      list(event.session);
      prepare(event.session);
    } else if (event.kind === 'state') see(event.session);
    else if (event.kind === 'renamed') {
      const id = ids.get(event.from);
      ids.delete(event.from);
      if (id !== undefined) ids.set(event.session.slug, id);
    } else if (event.kind === 'removed') {
      followed.delete(ids.get(event.slug) ?? '');
      ids.delete(event.slug);
    }
  });
  for (const session of sessions.list()) list(session);

  return {
    faultOf: (id) => followed.get(id)?.fault ?? null,
    settled: async (id) => followed.get(id)?.done,
    dispose: async () => {
      isDisposed = true;
      stop();
      await Promise.all([...followed.values()].map(({ done }) => done));
    },
  };
}

/** Saves the files when turns begin and end. @param promptOf returns the prompt, unless it is from before the time */
function createTurnSaver(
  { sessions, keeper, clock, log, onKept }: FollowTurnsOptions,
  promptOf: (slug: string, from: number) => string | null,
) {
  const report = (one: Followed, slug: string, cause: unknown): void => {
    if (cause instanceof CatalogueError && QUIET.has(cause.code)) return;
    one.fault = cause instanceof CatalogueError ? cause.message : String(cause);
    log.warn({ err: cause, slug }, "a turn's files were not saved");
  };

  function begin(one: Followed, turn: { id: string; slug: string; folder: string; at: number; isOld: boolean }): void {
    const { id, slug, folder, at } = turn;
    // No tool of the new turn may change a file before the files have been saved.
    let release = turn.isOld ? null : sessions.holdTurn(slug);
    const letGo = (): void => {
      release?.();
      release = null;
    };
    const stopWaiting = clock.after(LONGEST_HOLD_MS, letGo);
    const prompt = promptOf(slug, Math.max(one.lastEndAt, at - PROMPT_LEAD_MS));
    one.done = one.done.then(async () => {
      try {
        const open = turn.isOld ? await lastOpen(keeper, folder, id) : null;
        const facts = { folder, session: id, slug, kind: 'turn' as const, prompt, at };
        one.open = open ?? (await keeper.begin(facts, () => release !== null));
        one.fault = null;
      } catch (cause) {
        one.open = null;
        report(one, slug, cause);
      } finally {
        stopWaiting();
        letGo();
      }
      if (one.open !== null) await onKept(folder).catch((cause: unknown) => report(one, slug, cause));
    });
  }

  function end(one: Followed, { slug, at }: { slug: string; at: number }): void {
    one.done = one.done.then(async () => {
      const { open } = one;
      one.open = null;
      if (open === null) return;
      try {
        await keeper.end(open, { at, prompt: promptOf(slug, open.beganAt - PROMPT_LEAD_MS) });
      } catch (cause) {
        report(one, slug, cause);
      }
      one.lastEndAt = at;
    });
  }

  return { begin, end, report };
}

/** Returns the session's turn that was running when the previous server ended; null if there was none. */
async function lastOpen(keeper: TurnKeeper, folder: string, id: string): Promise<KeptTurn | null> {
  const last = (await keeper.list(folder)).filter(({ session }) => session === id).at(-1);
  return last?.kind === 'turn' && last.end === null ? last : null;
}

/**
 * Errors that are not reported, because they only mean that the folder is no longer in a repository or that git is not
 * installed.
 */
const QUIET: ReadonlySet<string> = new Set(['no_such_path', 'not_a_repository', 'git_not_found']);

/** Reports whether a turn is running; null if unknown. */
function runsTurn({ status }: Session): boolean | null {
  return status.primary === null || rowOf(status).isOutsideTurns === true ? null : isInTurn(status);
}

function firstWords(text: string): string | null {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  if (line === '') return null;
  const letters = [...line];
  return letters.length <= PROMPT_CHARS ? line : `${letters.slice(0, PROMPT_CHARS - 1).join('')}…`;
}
