import {
  CatalogueError,
  type Session,
  type StoredEvent,
  StreamCommand,
  type StreamFrame,
  splitRemoteName,
} from '../../protocol/index.ts';
import { toFailure } from '../http/error-response.ts';
import type { Sessions } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';
import { EventSubscription } from './event-subscription.ts';
import { FarSubscriptions } from './far-subscriptions.ts';
import { FleetSubscription } from './fleet-subscription.ts';
import { readFrame } from './read-frame.ts';
import { recordingTail } from './recording-tail.ts';
import type { StreamClientOptions } from './stream-client-options.ts';
import { type RequestCommand, requestOf } from './stream-requests.ts';
import { Subscription } from './subscription.ts';

const EVERYTHING = '*';

const sizeKey = (size: { slug: string; cols: number; rows: number }) => `${size.slug} ${size.cols}x${size.rows}`;

/** One client of `/ws/stream`, with its subscriptions and its commands. */
export class StreamClient {
  readonly #options: StreamClientOptions;
  readonly #socket: ClientSocket;
  readonly #sessions: Sessions;
  /** the subscriptions by slug; null while the session has no recording */
  readonly #subscriptions = new Map<string, Subscription | null>();
  /** the subscriptions to events of JSON sessions, by slug */
  readonly #events = new Map<string, EventSubscription>();
  /** the subscriptions to sessions on other machines */
  readonly #far: FarSubscriptions;
  #fleet: FleetSubscription | null = null;
  #wantsEverything = false;
  #acknowledges = false;
  /** the last `resized` frame that was sent to this client */
  #lastResized = '';

  constructor(options: StreamClientOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#sessions = options.sessions;
    this.#far = new FarSubscriptions({
      ...{ ...options, feeds: options.farFeeds, acknowledges: () => this.#acknowledges },
      send: (frame) => this.#send(frame),
      onFailed: (error, session) => this.#fail(error, session),
    });
  }

  start(): void {
    this.#send({ type: 'sessions', sessions: this.#sessions.list() });
    const listed = new Set(this.#sessions.list().map(({ slug }) => slug));
    this.#send({ type: 'available_streams', sessions: this.#sessions.streams().filter((slug) => listed.has(slug)) });
    this.#socket.onDrained(() => {
      for (const subscription of this.#subscriptions.values()) subscription?.resume();
      for (const subscription of this.#events.values()) subscription.resume();
      this.#far.resume();
      this.#fleet?.resume();
    });
    this.#socket.onText((text) => this.#receive(text));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions.values()) subscription?.dispose();
    this.#far.dispose();
    this.#fleet?.dispose();
    this.#subscriptions.clear();
    this.#events.clear();
  }

  /** Sends a frame that every client gets. */
  tell(wire: Buffer): void {
    this.#socket.send(wire);
  }

  tellResized(wire: Buffer, resized: { slug: string; cols: number; rows: number }): void {
    this.#lastResized = sizeKey(resized);
    this.#socket.send(wire);
  }

  added(slug: string): void {
    if (this.#wantsEverything) this.#follow(slug, {});
  }

  removed(slug: string): void {
    this.#subscriptions.get(slug)?.dispose();
    this.#subscriptions.delete(slug);
    this.#events.delete(slug);
  }

  /** Accepts new events of a JSON session. */
  takeEvents(slug: string, events: readonly StoredEvent[]): void {
    this.#events.get(slug)?.take(events);
  }

  renamed(from: string, to: string): void {
    const subscription = this.#subscriptions.get(from);
    if (subscription === undefined) return;
    this.#subscriptions.delete(from);
    this.#subscriptions.set(to, subscription);
    const events = this.#events.get(from);
    if (events === undefined) return;
    events.renamed(to);
    this.#events.delete(from);
    this.#events.set(to, events);
  }

  /** Adapts the subscriptions to a changed session, which may now have a recording or be of another type. */
  changed({ slug, type }: Pick<Session, 'slug' | 'type'>): void {
    const subscription = this.#subscriptions.get(slug);
    if (subscription === undefined) return;
    if (type === 'json') {
      // The session no longer has a terminal. If it ever gets one again, there will be a new recording.
      subscription?.dispose();
      this.#subscriptions.set(slug, null);
      if (!this.#events.has(slug)) this.#followEvents(slug, undefined);
    } else if (subscription === null) this.#followRecording(slug, undefined);
  }

  #receive(text: string | null): void {
    try {
      this.#run(readFrame(StreamCommand, text));
    } catch (error) {
      this.#fail(error);
    }
  }

  #run(command: StreamCommand): void {
    switch (command.type) {
      case 'subscribe':
        this.#subscribe(command);
        break;
      case 'unsubscribe':
        this.#unsubscribe(command.sessions);
        break;
      case 'list_sessions':
        this.#send({ type: 'sessions', sessions: this.#sessions.list() });
        break;
      case 'follow_fleet':
        this.#fleet ??= new FleetSubscription(this.#socket, this.#options, (error) => this.#fleetFailed(error));
        if (command.changes === true) this.#fleet.sendChanges();
        break;
      case 'ack':
        this.#acknowledge(command.session, command.offset);
        break;
      case 'send':
      case 'answer':
      case 'interrupt':
      case 'invoke':
        this.#answerWith(command);
        break;
      case 'keys':
        this.#attempt(command, () => this.#sessions.keys(command.session, command.keys));
        break;
      case 'resize':
        this.#resize(command);
        break;
      case 'get_buffer':
        this.#sendBuffer(command.session).catch((error: unknown) => this.#fail(error, command.session));
    }
  }

  #fleetFailed(error: unknown): void {
    this.#fleet = null;
    this.#fail(error);
  }

  #subscribe(command: Extract<StreamCommand, { type: 'subscribe' }>): void {
    const names = command.sessions;
    const from = new Map(Object.entries(command.from ?? {}));
    const after = new Map(Object.entries(command.after ?? {}));
    const listed = new Set(this.#sessions.list().map((session) => session.slug));
    const named = new Set(names.filter((name) => name !== EVERYTHING));
    const wanted = new Set([...named].filter((slug) => listed.has(slug)));
    if (names.includes(EVERYTHING)) {
      this.#wantsEverything = true;
      // If the client already follows a session, `*` leaves the existing subscription alone, unless the client
      // specifies where to begin in that session.
      for (const slug of listed) {
        if (!this.#subscriptions.has(slug) || from.has(slug) || after.has(slug)) wanted.add(slug);
      }
    }
    const far = [...named].filter((name) => !listed.has(name) && splitRemoteName(name) !== null);
    const now = new Set([...this.#names(), ...wanted, ...far]);
    this.#send({ type: 'subscribed', sessions: [...now] });
    for (const name of far) this.#far.follow(name, { from: from.get(name), after: after.get(name) });
    for (const slug of wanted) this.#follow(slug, { from: from.get(slug), after: after.get(slug) });
    for (const slug of named) {
      if (listed.has(slug) || far.includes(slug)) continue;
      this.#fail(new CatalogueError('no_such_session', `No session is named ${JSON.stringify(slug)}`), slug);
    }
  }

  #unsubscribe(names: readonly string[]): void {
    const everything = names.includes(EVERYTHING);
    if (everything) this.#wantsEverything = false;
    for (const slug of everything ? this.#names() : names) {
      this.removed(slug);
      this.#far.unfollow(slug);
    }
    this.#send({ type: 'subscribed', sessions: this.#names() });
  }

  #names(): string[] {
    return [...this.#subscriptions.keys(), ...this.#far.names()];
  }

  #follow(slug: string, begin: { from?: number | undefined; after?: number | undefined }): void {
    this.#followRecording(slug, begin.from);
    if (this.#sessions.get(slug).type === 'json') this.#followEvents(slug, begin.after);
  }

  #followEvents(slug: string, after: number | undefined): void {
    const options = { sessions: this.#sessions, socket: this.#socket, slug, after };
    this.#events.set(slug, new EventSubscription(options));
  }

  #followRecording(slug: string, from: number | undefined): void {
    // The new subscription is created before the old one is disposed of, so that the feed survives even if no other
    // client follows the session.
    const subscription = this.#newSubscription(slug, from);
    void subscription?.start();
    this.#subscriptions.get(slug)?.dispose();
    this.#subscriptions.set(slug, subscription);
  }

  #newSubscription(slug: string, from: number | undefined): Subscription | null {
    try {
      return new Subscription({
        feed: this.#options.feedOf(slug),
        socket: this.#socket,
        logger: this.#options.logger,
        from,
        acknowledges: () => this.#acknowledges,
      });
    } catch (error) {
      // If the session has no recording, there is nothing to follow yet. Any other error must affect only this session.
      if (!(error instanceof CatalogueError)) this.#options.logger.error({ err: error, session: slug }, 'no stream');
      return null;
    }
  }

  #acknowledge(slug: string, offset: number): void {
    if (!this.#acknowledges) {
      this.#acknowledges = true;
      for (const subscription of this.#subscriptions.values()) subscription?.expectAcknowledgements();
      this.#far.expectAcknowledgements();
    }
    this.#far.acknowledge(slug, offset);
    this.#subscriptions.get(slug)?.acknowledge(offset);
  }

  #resize(command: Extract<StreamCommand, { type: 'resize' }>): void {
    const { session: slug, cols, rows } = command;
    this.#lastResized = '';
    this.#attempt(command, async () => {
      await this.#sessions.resize(slug, cols, rows);
      // If the session already had this size, no event is reported, so the client gets its confirmation here.
      if (this.#lastResized !== sizeKey({ slug, cols, rows }))
        this.#send({ type: 'resized', session: slug, cols, rows });
    });
  }

  #answerWith(command: RequestCommand): void {
    const { type, session } = command;
    const request = requestOf(command);
    const working = this.#options.rights().then((rights) => request(this.#sessions, rights));
    working.then(
      (more) => this.#send({ type: `${type}_result`, session, success: true, ...more }),
      (error: unknown) =>
        this.#send({ type: `${type}_result`, session, success: false, error: this.#errorBody(error) }),
    );
  }

  /** Runs a person's command that has no result. The client is told only if the command fails. */
  #attempt({ type, session }: { type: string; session: string }, work: () => Promise<void>): void {
    const asPerson = this.#options.rights().then((rights) => rights.requireFull(type));
    asPerson.then(work).catch((error: unknown) => this.#fail(error, session));
  }

  async #sendBuffer(session: string): Promise<void> {
    const data = await recordingTail(this.#sessions.stream(session), this.#options.maxBufferBytes);
    this.#send({ type: 'buffer', session, data });
  }

  #send(frame: StreamFrame): void {
    this.#socket.send(frame);
  }

  #fail(error: unknown, session?: string): void {
    this.#send({ type: 'error', error: this.#errorBody(error), ...(session === undefined ? {} : { session }) });
  }

  #errorBody(error: unknown) {
    return toFailure(error, (unexpected) => this.#options.logger.error({ err: unexpected }, 'a command failed')).error;
  }
}
