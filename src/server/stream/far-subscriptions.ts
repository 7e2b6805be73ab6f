import { type RemoteName, type StreamFrame, splitRemoteName } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { ClientSocket } from './client-socket.ts';
import { FarEventSubscription } from './far-event-subscription.ts';
import type { FarFeeds, FarMember } from './far-feeds.ts';
import { Subscription } from './subscription.ts';

export interface FarSubscriptionsOptions {
  socket: ClientSocket;
  logger: Logger;
  feeds: FarFeeds;
  /** @throws CatalogueError inside_session, no_fleet, no_such_machine */
  readyFar(name: RemoteName): Promise<void>;
  /** whether the client acknowledges the output that it has drawn */
  acknowledges(): boolean;
  send(frame: StreamFrame): void;
  onFailed(error: unknown, slug: string): void;
}

/** Where to begin: at an offset of a recording, or after an event. */
interface Begin {
  from: number | undefined;
  after: number | undefined;
}

interface Followed {
  subscription: Subscription | FarEventSubscription | null;
  leave(): void;
}

/** The sessions on other machines that one client follows, by `machine/SESSION`. */
export class FarSubscriptions {
  readonly #options: FarSubscriptionsOptions;
  readonly #followed = new Map<string, Followed>();

  constructor(options: FarSubscriptionsOptions) {
    this.#options = options;
  }

  names(): string[] {
    return [...this.#followed.keys()];
  }

  follow(slug: string, begin: Begin): void {
    const before = this.#followed.get(slug);
    const followed: Followed = { subscription: null, leave: () => undefined };
    this.#followed.set(slug, followed);
    const isCurrent = (): boolean => this.#followed.get(slug) === followed;
    const name = splitRemoteName(slug);
    if (name === null) return;
    this.#options
      .readyFar(name)
      .then(() => {
        if (isCurrent()) this.#begin(name, followed, begin);
      })
      .catch((error: unknown) => {
        if (!isCurrent()) return;
        this.unfollow(slug);
        this.#options.onFailed(error, slug);
      })
      // The previous subscription leaves last, so that the session is followed all the time.
      .finally(() => before?.leave());
  }

  unfollow(slug: string): void {
    const followed = this.#followed.get(slug);
    this.#followed.delete(slug);
    followed?.leave();
  }

  acknowledge(slug: string, offset: number): void {
    const subscription = this.#followed.get(slug)?.subscription;
    if (subscription instanceof Subscription) subscription.acknowledge(offset);
  }

  expectAcknowledgements(): void {
    for (const { subscription } of this.#followed.values()) {
      if (subscription instanceof Subscription) subscription.expectAcknowledgements();
    }
  }

  resume(): void {
    for (const { subscription } of this.#followed.values()) subscription?.resume();
  }

  dispose(): void {
    for (const slug of this.names()) this.unfollow(slug);
  }

  #begin(name: RemoteName, followed: Followed, begin: Begin): void {
    const { socket, logger, feeds, send, acknowledges } = this.#options;
    const slug = `${name.machine}/${name.slug}`;
    const member: FarMember = {
      isTakingEvents: () =>
        !(followed.subscription instanceof FarEventSubscription) || followed.subscription.isTaking(),
      onResized: ({ cols, rows }) => send({ type: 'resized', session: slug, cols, rows }),
      onEvents: (events) => {
        if (followed.subscription instanceof FarEventSubscription) followed.subscription.take(events);
      },
      onEnded: (error) => {
        if (this.#followed.get(slug) === followed) this.unfollow(slug);
        this.#options.onFailed(error, slug);
      },
    };
    const shared = feeds.join(name, member);
    followed.leave = () => {
      followed.subscription?.dispose();
      feeds.leave(name, member);
    };
    if (shared.of === 'events') {
      const onFailed = (error: unknown): void => this.#options.onFailed(error, slug);
      followed.subscription = new FarEventSubscription({
        ...{ source: shared.events, socket, slug, after: begin.after, onFailed },
      });
      return;
    }
    const subscription = new Subscription({ feed: shared.feed, socket, logger, from: begin.from, acknowledges });
    followed.subscription = subscription;
    void subscription.start();
  }
}
