/**
 * This directory serves the WebSockets. `web-sockets.ts` accepts connections, `client-socket.ts` keeps track of how
 * full a connection is, and `sessions-hub.ts` sends the plain list of sessions.
 *
 * - a recording's output: `recording-feed.ts` once for all clients, and `subscription.ts` for each client
 * - how fast to send output: `src/core/stream/pace.ts`
 * - the events of JSON sessions, for each client: `event-subscription.ts`
 * - sessions on other machines: `far-feeds.ts` once for all clients, and `far-subscriptions.ts` for each client
 */

import type { Session, StreamFrame } from '../../protocol/index.ts';
import type { RuleEvent } from '../approval/approvals.ts';
import type { Rules } from '../approval/rules.ts';
import type { Rights } from '../auth/session-rights.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Scheduler } from '../schedules/scheduler.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';
import { FarFeeds } from './far-feeds.ts';
import { ownRecording } from './live-recording.ts';
import type { OtherMachines } from './other-machines.ts';
import { RecordingFeed } from './recording-feed.ts';
import { StreamClient } from './stream-client.ts';

export interface StreamHubOptions {
  sessions: Sessions;
  clock: Clock;
  logger: Logger;
  /** how many bytes `get_buffer` returns at most */
  maxBufferBytes: number;
  /** the other machines in the fleet */
  machines: OtherMachines;
  schedules: Pick<Scheduler, 'onChange'>;
  /** the approval rules */
  rules: Pick<Rules, 'onEvent'>;
}

/**
 * Serves `/ws/stream`. It sends events about sessions to every client, and keeps one feed for each recording that is
 * being followed.
 */
export class StreamHub {
  readonly #options: StreamHubOptions;
  readonly #clients = new Set<StreamClient>();
  readonly #feeds = new Map<string, RecordingFeed>();
  readonly #farFeeds: FarFeeds;
  #stopEvents: Dispose | null = null;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    const { clock, logger, machines } = options;
    this.#farFeeds = new FarFeeds({ clock, logger, watch: (name, listener) => machines.watch(name, listener) });
  }

  connect(socket: ClientSocket, rights: () => Promise<Rights>): void {
    const { sessions, logger, maxBufferBytes, machines, schedules, rules } = this.#options;
    const feedOf = (slug: string): RecordingFeed => this.#feedOf(slug);
    const client = new StreamClient({
      ...{ socket, sessions, rights, logger, maxBufferBytes, feedOf, farFeeds: this.#farFeeds },
      readyFar: async (name) => {
        (await rights()).requireFull('subscribe');
        await machines.ready(name);
      },
      followFleet: async (listener) => {
        (await rights()).requireFull('follow_fleet');
        return machines.follow(listener);
      },
    });
    this.#clients.add(client);
    this.#stopEvents ??= listenTo([
      sessions.onEvent((event) => this.#tell(event)),
      schedules.onChange(() => this.#broadcast({ type: 'schedules_changed' })),
      rules.onEvent((event) => this.#tellRules(event)),
    ]);
    socket.onClosed(() => {
      this.#clients.delete(client);
      client.dispose();
      if (this.#clients.size > 0) return;
      this.#stopEvents?.();
      this.#stopEvents = null;
    });
    client.start();
  }

  #feedOf(slug: string): RecordingFeed {
    const known = this.#feeds.get(slug);
    if (known !== undefined) return known;
    const { clock, logger } = this.#options;
    const feed = new RecordingFeed({
      slug,
      recording: ownRecording(this.#options.sessions.stream(slug)),
      clock,
      logger,
      onAbandoned: () => {
        if (this.#feeds.get(feed.slug) === feed) this.#feeds.delete(feed.slug);
      },
    });
    this.#feeds.set(slug, feed);
    return feed;
  }

  #tell(event: SessionEvent): void {
    switch (event.kind) {
      case 'added': {
        this.#broadcast({ type: 'session_added', session: event.session });
        for (const client of this.#clients) client.added(event.session.slug);
        break;
      }
      case 'removed':
        for (const client of this.#clients) client.removed(event.slug);
        this.#broadcast({
          type: 'session_removed',
          session: event.slug,
          ...(event.archived === true ? { archived: true } : {}),
        });
        break;
      case 'renamed': {
        const { slug } = event.session;
        this.#renameFeed(event.from, slug);
        for (const client of this.#clients) client.renamed(event.from, slug);
        this.#broadcast({ type: 'session_renamed', session: event.from, slug });
        break;
      }
      case 'state': {
        const { slug, status, json_state, unread, marked_unread, news, snoozed } = event.session;
        const kept = { unread, marked_unread, news, snoozed };
        const state = stateWord(event.session);
        this.#broadcast({ type: 'session_state', session: slug, state, status, json_state, ...kept });
        this.#changed(event.session);
        break;
      }
      case 'updated':
      case 'woken':
        this.#broadcast({ type: 'session_updated', session: event.session });
        this.#changed(event.session);
        break;
      case 'events':
        for (const client of this.#clients) client.takeEvents(event.slug, event.events);
        break;
      case 'resized': {
        const { slug, cols, rows } = event;
        const wire = toWire({ type: 'resized', session: slug, cols, rows });
        for (const client of this.#clients) client.tellResized(wire, { slug, cols, rows });
      }
    }
  }

  #tellRules(event: RuleEvent): void {
    this.#broadcast(event.kind === 'changed' ? { type: 'rules_changed' } : { type: 'rule_decided', id: event.id });
  }

  #changed(session: Session): void {
    for (const client of this.#clients) client.changed(session);
  }

  #renameFeed(from: string, to: string): void {
    const feed = this.#feeds.get(from);
    if (feed === undefined) return;
    this.#feeds.delete(from);
    feed.slug = to;
    this.#feeds.set(to, feed);
  }

  #broadcast(frame: StreamFrame): void {
    const wire = toWire(frame);
    for (const client of this.#clients) client.tell(wire);
  }
}

const listenTo =
  (disposers: readonly Dispose[]): Dispose =>
  () => {
    for (const dispose of disposers) dispose();
  };

function toWire(frame: StreamFrame): Buffer {
  return Buffer.from(JSON.stringify(frame));
}

/** Returns the word for a session's state. For JSON sessions, this WebSocket uses other words than the rest of CBOS. */
function stateWord(session: Session): string {
  return session.type === 'json' && session.json_state !== null ? session.json_state : session.state;
}
