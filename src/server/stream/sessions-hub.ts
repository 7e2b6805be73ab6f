import { type Session, SessionsCommand, type SessionsFrame } from '../../protocol/index.ts';
import type { Rights } from '../auth/session-rights.ts';
import type { Clock } from '../clock.ts';
import { toFailure } from '../http/error-response.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';
import { type Coalescer, coalesce } from './coalesce.ts';
import { readFrame } from './read-frame.ts';

/**
 * The shortest time between two frames. Every change causes the whole list to be sent, so the list is sent at most
 * twenty times a second, which is more often than the eye can follow.
 */
const REFRESH_INTERVAL_MS = 50;

export interface SessionsHubOptions {
  sessions: Sessions;
  clock: Clock;
  logger: Logger;
}

/** Serves `/ws`, and sends the whole list of sessions whenever anything in the list changes. */
export class SessionsHub {
  readonly #sessions: Sessions;
  readonly #logger: Logger;
  readonly #refreshes: Coalescer;
  /** the clients; `missed` means that a client did not get a list because its connection was full */
  readonly #clients = new Map<ClientSocket, { missed: boolean }>();
  #stopEvents: Dispose | null = null;
  #told = '';

  constructor(options: SessionsHubOptions) {
    this.#sessions = options.sessions;
    this.#logger = options.logger;
    this.#refreshes = coalesce({
      clock: options.clock,
      intervalMs: REFRESH_INTERVAL_MS,
      work: () => this.#refresh(),
    });
  }

  connect(socket: ClientSocket, rights: () => Promise<Rights>): void {
    if (this.#stopEvents === null) {
      this.#told = withoutClocks(this.#sessions.list());
      this.#stopEvents = this.#sessions.onEvent(() => this.#refreshes.request());
    }
    const client = { missed: false };
    this.#clients.set(socket, client);
    socket.onDrained(() => {
      if (!client.missed) return;
      client.missed = false;
      send(socket, { type: 'refresh', sessions: this.#sessions.list() });
    });
    socket.onText((text) => this.#receive(socket, rights, text));
    socket.onClosed(() => {
      this.#clients.delete(socket);
      if (this.#clients.size > 0) return;
      this.#stopEvents?.();
      this.#stopEvents = null;
      this.#refreshes.dispose();
    });
    send(socket, { type: 'init', sessions: this.#sessions.list() });
  }

  #refresh(): void {
    const sessions = this.#sessions.list();
    const now = withoutClocks(sessions);
    if (now === this.#told) return;
    this.#told = now;
    const frame: SessionsFrame = { type: 'refresh', sessions };
    const wire = Buffer.from(JSON.stringify(frame));
    for (const [socket, client] of this.#clients) {
      // This list is dropped instead of being queued, because the next list replaces it anyway.
      if (socket.isFull()) client.missed = true;
      else socket.send(wire);
    }
  }

  #receive(socket: ClientSocket, rights: () => Promise<Rights>, text: string | null): void {
    try {
      const { slug, text: prompt } = readFrame(SessionsCommand, text);
      const sending = rights().then((may) => this.#sessions.send(slug, may.signed('send', { text: prompt })));
      sending.then(
        (delivery) => send(socket, { type: 'send_result', slug, success: true, delivery }),
        (error: unknown) => send(socket, { type: 'send_result', slug, success: false, error: this.#errorBody(error) }),
      );
    } catch (error) {
      send(socket, { type: 'error', error: this.#errorBody(error) });
    }
  }

  #errorBody(error: unknown) {
    return toFailure(error, (unexpected) => this.#logger.error({ err: unexpected }, 'a command failed')).error;
  }
}

function send(socket: ClientSocket, frame: SessionsFrame): void {
  socket.send(frame);
}

/**
 * Returns the list without the fields that change merely because time passes. If two results are equal, nothing needs
 * to be sent.
 */
function withoutClocks(sessions: readonly Session[]): string {
  return JSON.stringify(sessions, (key, value: unknown) =>
    key === 'unchanged_ms' || key === 'quiet_ms' ? undefined : value,
  );
}
