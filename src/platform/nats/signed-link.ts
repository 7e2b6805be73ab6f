import { createHash, randomUUID } from 'node:crypto';
import { parseJson } from '../../protocol/index.ts';
import { isSignedBy, type MachineKey, sign } from './keys.ts';
import type { NatsLink, NatsMessage, RequestOutcome } from './link.ts';

/** A connection whose messages prove nothing about their senders. */
export interface BareLink {
  subscribe(subject: string, onMessage: (message: BareMessage) => void): void;
  /** Reports whether the message could be sent. */
  publish(subject: string, data: string, reply?: string): boolean;
  flush(): Promise<void>;
  closed: Promise<void>;
  close(): Promise<void>;
}

export interface BareMessage {
  subject: string;
  data: string;
  reply: string | undefined;
  /** whether NATS reports that nobody listens */
  isNobody: boolean;
}

/** Who signs a message, according to its subject; null if nobody can. */
export interface Signers {
  ofMessage(subject: string): string | null;
  ofAnswer(subject: string): string | null;
}

interface Envelope {
  from: string;
  sig: string;
  body: string;
}

/**
 * Signs each message with a machine's key, and drops each message that the machine named by its subject has not signed.
 * On a shared NATS server, others may use the same subjects.
 */
export function signLink(bare: BareLink, key: MachineKey, signers: Signers, inbox: string): Omit<NatsLink, 'kept'> {
  /** the requests under way: what to do with an answer, or with null once the connection has closed */
  const waiting = new Map<string, (message: BareMessage | null) => void>();
  const answerSubject = (nonce: string): string => `${inbox}.signed.${nonce}`;

  bare.subscribe(answerSubject('*'), (message) => waiting.get(message.subject)?.(message));
  // Each listener of a promise is kept until the promise is settled, so requests must not add any to this one.
  void bare.closed.then(() => {
    for (const settle of [...waiting.values()]) settle(null);
  });

  return {
    subscribe: (subject, onMessage) =>
      bare.subscribe(subject, (message) => {
        const { reply = '' } = message;
        const body = open(message.data, signers.ofMessage(message.subject), [message.subject, reply]);
        if (body === null) return;
        onMessage({
          subject: message.subject,
          data: body,
          reply: message.reply,
          respond: (data) => {
            // The subject of an answer is used once, so the answer fits no other request.
            if (reply !== '') bare.publish(reply, seal(key, [reply, ''], data));
          },
        } satisfies NatsMessage);
      }),
    publish: (subject, data) => void bare.publish(subject, seal(key, [subject, ''], data)),
    request: (subject, data, timeoutMs) =>
      new Promise<RequestOutcome>((resolve) => {
        const reply = answerSubject(randomUUID());
        const settle = (outcome: RequestOutcome): void => {
          clearTimeout(timer);
          waiting.delete(reply);
          resolve(outcome);
        };
        const timer = setTimeout(() => settle({ kind: 'silent' }), timeoutMs);
        waiting.set(reply, (message) => {
          if (message === null) return settle({ kind: 'silent' });
          if (message.isNobody) return settle({ kind: 'unreachable' });
          // A forged answer is dropped, and the right one is still waited for.
          const body = open(message.data, signers.ofAnswer(subject), [reply, '']);
          if (body !== null) settle({ kind: 'answered', data: body });
        });
        if (!bare.publish(subject, seal(key, [subject, reply], data), reply)) settle({ kind: 'unreachable' });
      }),
    flush: bare.flush,
    closed: bare.closed,
    close: bare.close,
  };
}

/** Wraps a text that is kept on the server, where anyone with access to the account could replace it. */
export const sealKept = (key: MachineKey, subject: string, body: string): string => seal(key, [subject, ''], body);

/** Returns the text in an envelope, or null if its signer did not sign it for this subject. */
export function openKept(data: string, signer: string, subject: string): string | null {
  return open(data, signer, [subject, '']);
}

function seal(key: MachineKey, [subject, reply]: [string, string], body: string): string {
  return JSON.stringify({ from: key.id, sig: sign(key.seed, textOf(subject, reply, body)), body } satisfies Envelope);
}

function open(data: string, signer: string | null, [subject, reply]: [string, string]): string | null {
  // Anybody with access to the account may send anything.
  const content = parseJson(data);
  if (typeof content !== 'object' || content === null) return null;
  const { from, sig, body } = content as Partial<Record<keyof Envelope, unknown>>;
  if (from !== signer || signer === null || typeof sig !== 'string' || typeof body !== 'string') return null;
  return isSignedBy(signer, textOf(subject, reply, body), sig) ? body : null;
}

/** A digest, because signing a long text takes long. */
const textOf = (subject: string, reply: string, body: string): string =>
  `cbos-message ${subject} ${reply} ${createHash('sha256').update(body).digest('base64url')}`;
