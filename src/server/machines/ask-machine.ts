import { setTimeout as delay } from 'node:timers/promises';
import { askSubject, changesSomething } from '../../core/machines/index.ts';
import type { NatsLink } from '../../platform/nats/index.ts';
import {
  CatalogueError,
  ERRORS,
  type ErrorCode,
  MACHINE_WIRE_VERSION,
  type MachineAsk,
  type MachineCall,
  MachineReply,
} from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';

/** How long a machine has for an answer that it has at hand. */
export const ANSWER_MS = 2_000;
/** A prompt may take this long until Claude Code has taken it. */
const CALL_MS = 60_000;
/** How often to check, while a call runs, that its owner still lives. NATS does not tell. */
const LOOK_EVERY_MS = 1_000;

type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never;
export type Question = WithoutVersion<MachineAsk>;

export interface AskOptions {
  link: NatsLink;
  /** who asks, and whom */
  self: string;
  owner: string;
  /** the owner's name, for messages */
  name: string;
}

/**
 * Asks another machine something that changes nothing there.
 * @throws CatalogueError machine_unreachable, and whatever the machine answers
 */
export async function ask(options: AskOptions, question: Question): Promise<unknown> {
  return readValue(options, await send(options, question, ANSWER_MS), 'machine_unreachable');
}

/**
 * Sends a request to the owner of a session. What changes something is done by the owner within seconds, or never.
 * @throws CatalogueError machine_unreachable if it certainly was not done, machine_silent if that is not known
 */
export async function callOwner(options: AskOptions, call: MachineCall): Promise<unknown> {
  if (!changesSomething(call)) {
    return readValue(
      options,
      await send(options, { kind: 'call', call, ticket: null }, ANSWER_MS),
      'machine_unreachable',
    );
  }
  const ticket = await ask(options, { kind: 'ticket' });
  if (typeof ticket !== 'string') throw notUnderstood(options);
  const done = new AbortController();
  try {
    const outcome = await Promise.race([
      send(options, { kind: 'call', call, ticket }, CALL_MS),
      ownerIsGone(options, done.signal),
    ]);
    return readValue(options, outcome, 'machine_silent');
  } finally {
    done.abort();
  }
}

type Outcome = Awaited<ReturnType<NatsLink['request']>>;

function send({ link, self, owner }: AskOptions, question: Question, timeoutMs: number): Promise<Outcome> {
  const data = JSON.stringify({ v: MACHINE_WIRE_VERSION, ...question });
  return link.request(askSubject(owner, self), data, timeoutMs);
}

/** Resolves when the owner no longer answers. Without this, a call to a machine that dies would last a minute. */
async function ownerIsGone(options: AskOptions, signal: AbortSignal): Promise<Outcome> {
  for (;;) {
    await delay(LOOK_EVERY_MS, undefined, { ref: false });
    if (signal.aborted) return { kind: 'silent' };
    const { kind } = await send(options, { kind: 'ping' }, CALL_MS);
    if (kind === 'unreachable') return { kind: 'silent' };
  }
}

function readValue(options: AskOptions, outcome: Outcome, ifSilent: ErrorCode): unknown {
  const { name } = options;
  if (outcome.kind === 'unreachable') throw unreachable(name);
  if (outcome.kind === 'silent') {
    if (ifSilent === 'machine_unreachable') throw unreachable(name);
    throw new CatalogueError(ifSilent, `${name} did not answer in time; whether it was done is not known`);
  }
  const reply = readReply(outcome.data);
  if (reply === null) throw notUnderstood(options);
  if (reply.ok) return reply.value;
  const { code, message, hint: _, ...extra } = reply.error;
  // The cure is this machine's own: people type it, and the other machine could name any command.
  throw new CatalogueError(isErrorCode(code) ? code : 'internal', `${name}: ${cleanLine(message)}`, { extra });
}

function readReply(data: string): MachineReply | null {
  try {
    return MachineReply.safeParse(JSON.parse(data)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export const unreachable = (name: string): CatalogueError =>
  new CatalogueError('machine_unreachable', `${name} cannot be reached; nothing was done there, and nothing is kept`);

const notUnderstood = ({ name }: AskOptions): CatalogueError =>
  new CatalogueError('machine_version', `${name} answered with something that this version does not understand`);

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);
