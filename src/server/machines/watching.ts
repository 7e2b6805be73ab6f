import { grantedRights } from '../../core/machines/index.ts';
import {
  CatalogueError,
  type Member,
  type RemoteName,
  type Right,
  type Session,
  type WatchNews,
  WatchTaken,
} from '../../protocol/index.ts';
import type { Dispose } from '../sessions.ts';
import type { FarListener, FarSource } from '../stream/other-machines.ts';
import { type AskOptions, ask } from './ask-machine.ts';
import { createFarWatches, type FarWatches } from './far-watches.ts';
import type { OpenMachinesOptions } from './machines.ts';
import { openFarSource } from './open-far-source.ts';
import type { Peers } from './peers.ts';
import type { Reach } from './reach.ts';
import { createWatches, type Told, type Watches } from './watches.ts';

export interface WatchingOptions extends Pick<OpenMachinesOptions, 'sessions' | 'clock' | 'logger'> {
  boot: string;
  reach: Reach;
  peers: Peers;
  /** returns how to reach a machine, or null while this machine takes no part in the fleet */
  askOptions(id: Member['id']): AskOptions | null;
  memberOf(id: Member['id']): Member | undefined;
  /** returns the maximum rights that this machine allows other machines */
  allowed(): readonly Right[];
  /** begins to notice when an owner disappears; returns how to stop */
  follow(): Dispose;
}

/** The sessions here that other machines watch, and the sessions there that this machine watches. */
export interface Watching {
  /** for other machines */
  watches: Watches;
  /** for this machine's clients */
  far: FarWatches;
  /**
   * Resolves when the machine's list is known and recent enough to contain this session, or the machine is no longer in
   * the fleet.
   */
  ready(member: Member, slug: string): Promise<void>;
  /** Call this when a machine has answered or has sent its list. */
  heard(owner: Member['id']): void;
  follow(member: Member, name: RemoteName, listener: FarListener): FarSource;
  /** Call this when this machine takes part in the fleet again. */
  onUp(): void;
  keep(ids: ReadonlySet<string>): void;
}

export function createWatching(options: WatchingOptions): Watching {
  const { sessions, boot, reach, peers, clock, logger } = options;
  const maySee = (asker: Member['id']): boolean =>
    grantedRights(options.memberOf(asker)?.rights ?? [], options.allowed()).includes('see');

  async function tell(asker: Member['id'], watch: string, news: WatchNews): Promise<Told> {
    const askOptions = options.askOptions(asker);
    if (askOptions === null) return 'failed';
    try {
      const answer = await ask(askOptions, { kind: 'watched', watch, news });
      return WatchTaken.safeParse(answer).data?.more === true ? 'more' : 'enough';
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return error.code === 'machine_unreachable' ? 'failed' : 'gone';
    }
  }

  /** called when the first list of a machine has come */
  const waiting = new Map<string, Set<() => void>>();
  const wake = (id: string): void => {
    for (const resolve of waiting.get(id) ?? []) resolve();
    waiting.delete(id);
  };
  const watches = createWatches({ sessions, boot, maySee, tell, clock, logger });
  const far = createFarWatches({ ask: reach.ask, listOf: peers.known, onFirst: options.follow });
  const rowOf = ({ id }: Member, slug: string): Session | undefined =>
    peers.sessionsOf(id).sessions.find((row) => row.slug === slug);
  const untilListed = async (id: Member['id']): Promise<void> => {
    const stopLooking = options.follow();
    await new Promise<void>((resolve) => {
      waiting.set(id, (waiting.get(id) ?? new Set()).add(resolve));
    }).finally(stopLooking);
  };
  return {
    watches,
    far,
    ready: async (member, slug) => {
      if (peers.known(member.id) === null) await untilListed(member.id);
      // The session may be newer than the list.
      if (rowOf(member, slug) === undefined) await reach.look(member, 'rows');
    },
    heard: (owner) => {
      if (peers.known(owner) !== null) wake(owner);
      far.heard(owner);
    },
    follow: (member, { slug }, listener) =>
      openFarSource({
        ...{ member, slug, listener, clock, watches: far, ask: reach.ask },
        isMember: (id) => options.memberOf(id) !== undefined,
        row: rowOf(member, slug),
        version: peers.presenceOf(member.id),
      }),
    onUp: () => {
      far.loseAll();
      watches.sendAgain();
    },
    keep: (ids) => {
      for (const id of waiting.keys()) if (!ids.has(id)) wake(id);
      far.keep(ids);
      watches.keep(ids);
    },
  };
}
