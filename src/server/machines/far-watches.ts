import { randomUUID } from 'node:crypto';
import {
  CatalogueError,
  type ErrorCode,
  isErrorCode,
  type Member,
  type RowsVersion,
  WatchBegun,
  type WatchNews,
} from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { Question } from './ask-machine.ts';

/** What a watch needs from its session, and tells about it. */
export interface WatchTarget {
  slug: string;
  of: 'terminal' | 'events';
  /** what this machine has already; null if nothing */
  place(): { from: number; epoch: number } | null;
  onBegun(begun: WatchBegun): void;
  onNews(news: WatchNews): void;
  /** whether anybody can take more now */
  isWanted(): boolean;
  /** Called when waiting cannot help, because the session or its machine no longer exists. */
  onEnded(error: CatalogueError): void;
}

/** One session on another machine that this machine watches, for all clients together. */
export interface FarWatch {
  /** Resolves when the watch has first begun, or has ended. */
  begun: Promise<void>;
  /** Continues after `isWanted` has returned false. */
  goOn(): void;
  /**
   * Sends a request that changes nothing to the owner. If the owner cannot be reached, the request is repeated as soon
   * as it can.
   * @throws CatalogueError if the owner refuses the request, or the watch has ended
   */
  ask<T>(send: () => Promise<T>): Promise<T>;
  end(): void;
}

export interface FarWatches {
  open(member: Member, target: WatchTarget): FarWatch;
  /** Takes news from an owner. Returns null if this machine does not watch such a session. */
  take(owner: Member['id'], watch: string, news: WatchNews): Promise<{ more: boolean } | null>;
  /** Call this when a machine has answered or has sent its list. */
  heard(owner: Member['id']): void;
  /** Call this when this machine takes part in the fleet again. Its watches may have ended in that time. */
  loseAll(): void;
  /** Ends the watches on all machines except these. */
  keep(ids: ReadonlySet<string>): void;
}

/**
 * `lost`: the owner did not answer, or refused for now. `rested`: the owner sends nothing, because no client can take
 * more.
 */
type State = 'beginning' | 'watching' | 'lost' | 'rested' | 'over';

interface Open {
  member: Member;
  target: WatchTarget;
  state: State;
  /** the owner's instance that knows the watch */
  boot: string | null;
  /** the owner's list in which the session had no recording; null if it had one */
  unrecordedIn: string | null;
  beginning: Promise<void>;
  begin(): void;
  finish(error: CatalogueError | null): void;
  /** called when the owner has been heard from, or the watch has ended */
  waiting: Set<() => void>;
}

/** The errors which mean that the session cannot be watched even if its machine answers. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['no_such_session', 'no_such_machine', 'no_events']);

interface FarWatchesOptions {
  /** @throws CatalogueError machine_unreachable, and every error of the other machine */
  ask(member: Member, question: Question): Promise<unknown>;
  /** returns the owner's last list of sessions */
  listOf(owner: Member['id']): RowsVersion | null;
  /** called when the first watch begins, which must learn when an owner disappears; returns how to stop */
  onFirst(): () => void;
}

/** Keeps this machine's watches of sessions on other machines alive. It sends nothing while nothing happens. */
export function createFarWatches(options: FarWatchesOptions): FarWatches {
  const open = new Map<string, Open>();
  let stopLooking: () => void = () => undefined;

  return {
    open: (member, target) => {
      const id = randomUUID();
      let settleBegun: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => {
        settleBegun = resolve;
      });
      const watch: Open = {
        ...{ member, target, state: 'lost', boot: null, unrecordedIn: null },
        ...{ beginning: Promise.resolve(), waiting: new Set() },
        begin: () => {
          watch.state = 'beginning';
          watch.beginning = beginWatch(id, watch, options).finally(() => {
            if (watch.state === 'watching') settleBegun();
          });
        },
        finish: (error) => {
          if (watch.state === 'over') return;
          watch.state = 'over';
          open.delete(id);
          settleBegun();
          wakeAll(watch);
          if (open.size === 0) stopLooking();
          if (error !== null) target.onEnded(error);
        },
      };
      open.set(id, watch);
      if (open.size === 1) stopLooking = options.onFirst();
      watch.begin();
      return {
        begun,
        goOn: () => {
          if (watch.state === 'rested') watch.begin();
        },
        ask: async (send) => {
          for (;;) {
            if (isOver(watch)) throw new CatalogueError('no_such_session', 'The session is no longer watched');
            try {
              return await send();
            } catch (error) {
              if (!(error instanceof CatalogueError) || !isPassing(error)) throw error;
            }
            await new Promise<void>((resolve) => watch.waiting.add(resolve));
          }
        },
        end: () => {
          const isKnownThere = watch.state === 'watching' || watch.state === 'beginning';
          watch.finish(null);
          // If this is lost, the owner's next news is answered with the error that ends the watch there.
          if (isKnownThere) options.ask(member, { kind: 'unwatch', watch: id }).catch(() => undefined);
        },
      };
    },
    take: async (owner, id, news) => {
      const watch = open.get(id);
      if (watch === undefined || watch.member.id !== owner) return null;
      // News may arrive in the same packet as the answer that says where the news begins.
      await watch.beginning;
      return watch.state === 'watching' || watch.state === 'lost' ? takeNews(watch, news) : null;
    },
    heard: (owner) => {
      const list = options.listOf(owner);
      for (const watch of open.values()) {
        if (watch.member.id !== owner) continue;
        wakeAll(watch);
        const isOther = watch.state === 'watching' && list !== null && watch.boot !== list.boot;
        const isHopeful = watch.state === 'lost' && watch.unrecordedIn !== listText(list);
        if (isHopeful || isOther) watch.begin();
      }
    },
    loseAll: () => {
      for (const watch of open.values()) if (watch.state === 'watching') watch.state = 'lost';
    },
    keep: (ids) => {
      for (const watch of open.values()) {
        if (ids.has(watch.member.id)) continue;
        watch.finish(noLongerMember(watch.member));
      }
    },
  };
}

async function beginWatch(id: string, watch: Open, { ask, listOf }: FarWatchesOptions): Promise<void> {
  const { member, target } = watch;
  const place = target.place();
  try {
    const answer = await ask(member, {
      ...{ kind: 'watch', watch: id, slug: target.slug, of: target.of },
      ...(place === null ? {} : place),
    });
    const begun = WatchBegun.parse(answer);
    if (watch.state === 'over') return;
    watch.boot = begun.boot;
    watch.state = 'watching';
    target.onBegun(begun);
  } catch (error) {
    if (watch.state === 'over') return;
    if (!(error instanceof CatalogueError)) throw error;
    if (FINAL.has(error.code)) return watch.finish(error);
    watch.state = 'lost';
    watch.unrecordedIn = error.code === 'no_recording' ? listText(listOf(member.id)) : null;
  }
}

function takeNews(watch: Open, news: WatchNews): { more: boolean } {
  if (news.of === 'refused') {
    const { code, message } = news.error;
    if (isErrorCode(code) && FINAL.has(code)) {
      watch.finish(new CatalogueError(code, `${watch.member.name}: ${cleanLine(message)}`));
    } else watch.state = 'lost';
    return { more: false };
  }
  watch.state = 'watching';
  watch.target.onNews(news);
  const more = watch.target.isWanted();
  if (!more) watch.state = 'rested';
  return { more };
}

function wakeAll({ waiting }: Open): void {
  for (const wake of waiting) wake();
  waiting.clear();
}

export const noLongerMember = ({ name }: Member): CatalogueError =>
  new CatalogueError('no_such_machine', `${name} is no longer in the fleet`);

const isOver = ({ state }: Open): boolean => state === 'over';

/** Reports whether an error passes once the owner can be reached again, or allows this machine to see its sessions. */
const isPassing = ({ code }: CatalogueError): boolean =>
  ['machine_unreachable', 'machine_silent', 'machine_doubled', 'machine_version', 'not_allowed_there'].includes(code);

const listText = (list: RowsVersion | null): string => `${list?.boot} ${list?.revision}`;
