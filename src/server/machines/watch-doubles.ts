import { hereSubject, isInboxOf } from '../../core/machines/index.ts';
import type { NatsLink } from '../../platform/nats/index.ts';
import { MachineInstance } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';
import { parseMessage } from './parse-message.ts';

/** How long to wait for an answer from another server with the same key. */
const ANSWER_MS = 2_000;
/**
 * The pause between two requests that look for other servers: first, while no other server is known; second, while one
 * is known.
 */
const ALONE_MS = 5_000;
const DOUBLED_MS = 1_000;
/** How long a server that no longer answers still counts as running. Its connection may only be slow. */
const KEPT_MS = 30_000;

export interface DoubleWatch {
  /** the other running servers with the same key */
  doubles(): readonly MachineInstance[];
  dispose: Dispose;
}

/**
 * Notices other servers with the same key, for example because a virtual machine was cloned or the key was stolen. Each
 * server sends requests on a subject that only this key may use, and NATS reports whether anyone else is listening
 * there.
 *
 * Resolves after the first request. A server that waits for this before it takes part in the fleet therefore never
 * takes part at the same time as a server that is already running, because the running server gets this request before
 * any other request that reaches both.
 * @param options.onChange called when the first other server appears, and when the last one has disappeared
 */
export async function watchDoubles(options: {
  link: NatsLink;
  self: string;
  instance: MachineInstance;
  clock: Clock;
  onChange(): void;
}): Promise<DoubleWatch> {
  const { link, self, instance, clock } = options;
  const subject = hereSubject(self);
  const hello = JSON.stringify(instance);
  const heard = new Map<string, { other: MachineInstance; at: number }>();
  let isDoubled = false;
  let isReady = false;
  let stopTimer: Dispose = () => undefined;
  let isDisposed = false;

  function settle(): void {
    for (const [boot, { at }] of heard) if (clock.elapsed() - at > KEPT_MS) heard.delete(boot);
    const before = isDoubled;
    isDoubled = heard.size > 0;
    if (isReady && isDoubled !== before) options.onChange();
  }

  function note(data: string): void {
    const other = MachineInstance.safeParse(parseMessage(data)).data;
    if (other === undefined || other.boot === instance.boot) return;
    heard.set(other.boot, { other, at: clock.elapsed() });
  }

  async function look(): Promise<void> {
    const outcome = await link.request(subject, hello, ANSWER_MS);
    if (outcome.kind === 'answered') note(outcome.data);
    if (outcome.kind === 'unreachable') heard.clear();
    if (isDisposed) return;
    settle();
    stopTimer = clock.after(isDoubled ? DOUBLED_MS : ALONE_MS, () => void look());
  }

  // Subscribe before sending the first request. Otherwise, two servers that start at the same time could miss each
  // other.
  link.subscribe(subject, (message) => {
    note(message.data);
    if (isInboxOf(message.reply, self)) message.respond(hello);
    settle();
  });
  await look();
  isReady = true;
  return {
    doubles: () => [...heard.values()].map(({ other }) => other),
    dispose: () => {
      isDisposed = true;
      stopTimer();
    },
  };
}
