import { setTimeout as delay } from 'node:timers/promises';
import { askSubject, changesSomething } from '../../core/machines/index.ts';
import type { NatsLink } from '../../platform/nats/index.ts';
import {
  CatalogueError,
  type ErrorCode,
  isErrorCode,
  LONGEST_TERMINAL_WAIT_MS,
  type MachineAsk,
  type MachineCall,
  MachineReply,
  MachineStamp,
  MachineTicket,
  type WireVersion,
} from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { parseMessage } from './parse-message.ts';

/** How long to wait for an answer that a machine can give immediately. */
export const ANSWER_MS = 2_000;
/** How long to wait for a call to finish, because Claude Code may take this long to accept a prompt. */
const CALL_MS = 60_000;
/** How long to wait for a part of a terminal to arrive. At 64 kB, this takes a while over a slow connection. */
const TERMINAL_MS = 15_000;
/** How long to wait for a part of a recording, which the owner may first have to read from its beginning. */
const REPLAY_MS = 20_000;
/**
 * How often to check during a call whether the owner is still running, because NATS does not report that an owner has
 * died.
 */
const LOOK_EVERY_MS = 1_000;

type WithoutVersion<T> = T extends unknown ? Omit<T, keyof WireVersion> : never;
export type Question = WithoutVersion<MachineAsk>;
/** A request that may contain a ticket. */
type Ticketed = Extract<Question, { kind: 'call' | 'rename' }>;
type WithoutTicket<T> = T extends unknown ? Omit<T, 'ticket'> : never;

export interface AskOptions {
  link: NatsLink;
  /** the id of this machine, followed by the id of the machine that is asked */
  self: string;
  owner: string;
  /** the owner's name, used in error messages */
  name: string;
  /** our version */
  wire: WireVersion;
}

/**
 * Sends another machine a request that changes nothing there.
 * @throws CatalogueError machine_unreachable, and every error that the other machine returns
 */
export async function ask(options: AskOptions, question: Question): Promise<unknown> {
  return readValue(options, await send(options, question, askMs(question)), 'machine_unreachable');
}

const askMs = ({ kind }: Question): number => (['watched', 'read'].includes(kind) ? TERMINAL_MS : ANSWER_MS);

/**
 * Sends a request to the owner of a session. The owner begins to carry out the request within seconds or not at all.
 * @throws CatalogueError machine_unreachable if the call was certainly not carried out, machine_silent if no one can
 * know whether it was
 */
export async function callOwner(options: AskOptions, call: MachineCall): Promise<unknown> {
  if (changesSomething(call)) return change(options, { kind: 'call', call });
  const outcome = await whileAlive(options, { kind: 'call', call, ticket: null }, readMs(call));
  return readValue(options, outcome, 'machine_unreachable');
}

/**
 * Sends a request that changes something on another machine, with a ticket from that machine. Of two servers with the
 * same key, only the one that issued the ticket carries out the request.
 * @throws CatalogueError see `callOwner`
 */
export async function change(options: AskOptions, what: WithoutTicket<Ticketed>): Promise<unknown> {
  const ticket = MachineTicket.safeParse(await ask(options, { kind: 'ticket' })).data;
  if (ticket === undefined) throw notUnderstood(options);
  return readValue(options, await whileAlive(options, { ...what, ticket }, CALL_MS), 'machine_silent');
}

/** Returns how long to wait for a call that changes nothing. */
function readMs({ route, query }: MachineCall): number {
  if (route.startsWith('replay')) return REPLAY_MS;
  return route === 'terminal' ? ANSWER_MS + Math.min(Number(query?.wait_ms ?? 0), LONGEST_TERMINAL_WAIT_MS) : ANSWER_MS;
}

/** Sends a request, and stops waiting for the answer once the owner is no longer running. */
async function whileAlive(options: AskOptions, question: Ticketed, timeoutMs: number): Promise<Outcome> {
  if (timeoutMs <= ANSWER_MS + LOOK_EVERY_MS) return send(options, question, timeoutMs);
  const done = new AbortController();
  try {
    return await Promise.race([
      send(options, question, timeoutMs),
      ownerIsGone(options, question.ticket?.boot ?? null, done.signal),
    ]);
  } finally {
    done.abort();
  }
}

type Outcome = Awaited<ReturnType<NatsLink['request']>>;

function send({ link, self, owner, wire }: AskOptions, question: Question, timeoutMs: number): Promise<Outcome> {
  const data = JSON.stringify({ ...wire, ...question });
  return link.request(askSubject(owner, self), data, timeoutMs);
}

/**
 * Resolves when the owner no longer answers. Without this check, a call to a machine that dies would hang for a minute.
 * @param boot the server that issued the ticket, which is the only one that answers the request; null if there is no
 * ticket
 */
async function ownerIsGone(options: AskOptions, boot: string | null, signal: AbortSignal): Promise<Outcome> {
  for (;;) {
    await delay(LOOK_EVERY_MS, undefined, { ref: false });
    if (signal.aborted) return { kind: 'silent' };
    const outcome = await send(options, { kind: 'ping' }, CALL_MS);
    const reply = outcome.kind === 'answered' ? readReply(outcome.data) : null;
    const answering = reply?.ok === true ? MachineStamp.safeParse(reply.value).data : undefined;
    const isAnother = boot !== null && answering !== undefined && answering.boot !== boot;
    if (outcome.kind === 'unreachable' || isAnother) return { kind: 'silent' };
  }
}

function readValue(options: AskOptions, outcome: Outcome, ifSilent: ErrorCode): unknown {
  const { name } = options;
  if (outcome.kind === 'unreachable') throw unreachable(name);
  if (outcome.kind === 'silent') {
    if (ifSilent === 'machine_unreachable') throw unreachable(name);
    throw new CatalogueError(
      ifSilent,
      `${name} did not answer in time, so it may or may not have carried out the request`,
    );
  }
  const reply = readReply(outcome.data);
  if (reply === null) throw notUnderstood(options);
  if (reply.ok) return reply.value;
  const { code, message, hint: _, ...extra } = reply.error;
  if (code === 'machine_version') throw notUnderstood(options);
  // The other machine's hint is replaced by this machine's own hint, because users type what a hint says, and the other
  // machine could suggest any command.
  throw new CatalogueError(isErrorCode(code) ? code : 'internal', `${name}: ${cleanLine(message)}`, { extra });
}

function readReply(data: string): MachineReply | null {
  return MachineReply.safeParse(parseMessage(data)).data ?? null;
}

export const unreachable = (name: string): CatalogueError =>
  new CatalogueError(
    'machine_unreachable',
    `${name} cannot be reached; nothing was done there, and CBOS will not retry`,
  );

const notUnderstood = ({ name }: AskOptions): CatalogueError =>
  new CatalogueError('machine_version', `${name} runs a version of CBOS that is incompatible with the one here`);
