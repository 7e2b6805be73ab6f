import type { CatalogueError, RemoteName, StoredEvent } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { FarEvents, FarListener, FarSource } from './other-machines.ts';
import { RecordingFeed } from './recording-feed.ts';

/** The most columns and rows that a client is told, because another machine may send any number. */
const MOST_CELLS = 2_000;

/** One client that follows a session on another machine. */
export interface FarMember {
  isTakingEvents(): boolean;
  onResized(size: { cols: number; rows: number }): void;
  onEvents(events: readonly StoredEvent[]): void;
  onEnded(error: CatalogueError): void;
}

/** What all clients that follow the same session share. */
export type FarFeed = { of: 'terminal'; feed: RecordingFeed } | { of: 'events'; events: FarEvents };

export interface FarFeedsOptions {
  clock: Clock;
  logger: Logger;
  /** @throws CatalogueError no_fleet, no_such_machine, no_such_session */
  watch(name: RemoteName, listener: FarListener): FarSource;
}

interface Open {
  members: Set<FarMember>;
  shared: FarFeed | null;
}

/**
 * The sessions on other machines that clients follow. Each of them is watched once, however many clients follow it, and
 * only until the last client leaves.
 */
export class FarFeeds {
  readonly #open = new Map<string, Open>();
  readonly #options: FarFeedsOptions;

  constructor(options: FarFeedsOptions) {
    this.#options = options;
  }

  /** @throws CatalogueError no_fleet, no_such_machine, no_such_session */
  join(name: RemoteName, member: FarMember): FarFeed {
    const slug = slugOf(name);
    const open = this.#open.get(slug) ?? { members: new Set(), shared: null };
    const shared = open.shared ?? this.#follow(name, open);
    open.shared = shared;
    open.members.add(member);
    this.#open.set(slug, open);
    return shared;
  }

  leave(name: RemoteName, member: FarMember): void {
    const open = this.#open.get(slugOf(name));
    if (open === undefined || !open.members.delete(member) || open.members.size > 0) return;
    this.#open.delete(slugOf(name));
    if (open.shared?.of === 'events') open.shared.events.leave();
    else open.shared?.feed.dispose();
  }

  #follow(name: RemoteName, open: Open): FarFeed {
    const { clock, logger, watch } = this.#options;
    const source = watch(name, {
      isWanted: () => {
        if (open.shared?.of === 'terminal') return open.shared.feed.isWanted();
        return [...open.members].some((member) => member.isTakingEvents());
      },
      onResized: ({ cols, rows }) => {
        const size = { cols: Math.min(cols, MOST_CELLS), rows: Math.min(rows, MOST_CELLS) };
        for (const member of open.members) member.onResized(size);
      },
      onEvents: (events) => {
        for (const member of open.members) member.onEvents(events);
      },
      onEnded: (error) => {
        for (const member of [...open.members]) member.onEnded(error);
      },
    });
    if (source.of === 'events') return source;
    const { recording } = source;
    const feed = new RecordingFeed({ slug: slugOf(name), recording, clock, logger, onAbandoned: () => undefined });
    return { of: 'terminal', feed };
  }
}

const slugOf = ({ machine, slug }: RemoteName): string => `${machine}/${slug}`;
