import { type Caller, errorFromBody } from '../client/index.ts';
import {
  AddedSays,
  type AddingAsks,
  addingLine,
  CatalogueError,
  type FleetMachine,
  type FleetView,
  type Right,
  type RouteOutput,
  readAddingLine,
} from '../protocol/index.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { JoinRequest } from './commands/machine-options.ts';
import { type CliContext, isInteractive } from './context.ts';
import type { SshEvent, SshTalk } from './local-host.ts';

/** How long the invitation is valid. It is used at once. */
const VALID_S = 300;
/** The pause between two looks at whether the founder sees the machine, and the limit for all of them. */
const LOOK_EVERY_MS = 300;
const SEEN_MS = 60_000;
/** How long to wait until a machine that was not seen has left the fleet. */
const LEAVE_MS = 10_000;

export interface AddMachine {
  /** `[USER@]HOST`, for ssh */
  destination: string;
  /** the path of CBOS there, or its name in PATH */
  program: string;
  /** undefined lets CBOS find out whether the machine needs a tunnel */
  tunnel: boolean | undefined;
  rights: readonly Right[];
  join: JoinRequest;
  /** how long to wait for each answer of the other machine */
  waitMs: number;
}

type Invitation = RouteOutput<'inviteMachine'>;
type Fleet = NonNullable<FleetView['fleet']>;
type Said<K extends AddedSays['kind']> = Extract<AddedSays, { kind: K }>;

/** Ends the command without an error message, because the user ended it. */
class InterruptedError extends Error {}

/**
 * Adds a machine to this machine's fleet over ssh. Returns null if the user has ended the command. After a failure, the
 * machine belongs to no fleet, and the invitation is no longer valid.
 * @throws CatalogueError
 */
export async function addMachine(context: CliContext, options: AddMachine): Promise<FleetMachine | null> {
  const { io, out } = context;
  const { destination } = options;
  const client = await context.client();
  const fleet = await requireFounder(client, options);
  const stop = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(new InterruptedError()));
  });
  interrupted.catch(() => undefined);
  const stopListening = io.onInterrupt((exitCode) => {
    context.exitCode = exitCode;
    stop.abort();
  });
  const orInterrupted = <T>(work: Promise<T>): Promise<T> => Promise.race([work, interrupted]);
  /** the request for an invitation, which may still be under way when the user interrupts the command */
  let inviting: Promise<Invitation> | null = null;
  let talk: SshTalk | null = null;
  try {
    out.notice(`connecting to ${destination}`);
    talk = await context.host.openSsh({
      destination,
      words: [options.program, 'fleet', 'receive'],
      isAttended: isInteractive(io),
    });
    const partner = createPartner(talk, options);
    await orInterrupted(greet(context, partner, { options, founder: fleet.founder }));
    const isTunnel = await orInterrupted(needsTunnel(context, partner, { options, fleet: fleet.own }));
    if (isTunnel) out.notice(`opening a tunnel to ${destination}, which the server keeps open`);
    inviting = client.call('inviteMachine', {
      body: { rights: [...options.rights], valid_s: VALID_S, ...(isTunnel ? { tunnel_to: destination } : {}) },
    });
    const invitation = await orInterrupted(inviting);
    out.notice(`joining: it may ${options.rights.join(', ')} on the other machines`);
    const request = { line: invitation.line, ...options.join };
    const joined = await orInterrupted(partner.ask({ kind: 'join', request }, 'joined'));
    // A machine that names another one as itself has not joined.
    if (fleet.members.has(joined.id)) throw unexpected(destination);
    const seen = await orInterrupted(untilSeen(client, joined, stop.signal));
    await orInterrupted(partner.ask({ kind: 'keep' }, 'kept'));
    return seen;
  } catch (error) {
    await undo(context, { talk, inviting, client, destination });
    if (error instanceof InterruptedError) return null;
    throw error;
  } finally {
    stopListening();
    await talk?.close();
  }
}

async function requireFounder(
  client: Caller,
  { join, tunnel }: AddMachine,
): Promise<{ own: Fleet; founder: string | null; members: ReadonlySet<string> }> {
  const { fleet, machines } = await client.call('fleet');
  if (fleet === null) throw new CatalogueError('no_fleet');
  if (!fleet.is_founder) throw new CatalogueError('not_founder');
  if (join.name !== undefined && machines.some(({ name }) => name === join.name)) {
    throw new CatalogueError('machine_name_taken', `Another machine in the fleet is named ${join.name}`);
  }
  if (tunnel === true && fleet.is_shared === true) {
    throw new CatalogueError('invalid_request', 'A fleet on a shared NATS server has no use for a tunnel', {
      hint: 'Omit --tunnel: the machine connects to the shared NATS server',
    });
  }
  return {
    own: fleet,
    founder: machines.find((machine) => machine.is_founder)?.id ?? null,
    members: new Set(machines.map(({ id }) => id)),
  };
}

/** The other machine, as the partner in a conversation. */
interface Partner {
  hear<K extends AddedSays['kind']>(kind: K): Promise<Said<K>>;
  ask<K extends AddedSays['kind']>(message: AddingAsks, kind: K): Promise<Said<K>>;
}

function createPartner(talk: SshTalk, { destination, program, waitMs }: AddMachine): Partner {
  let hasSpoken = false;
  const hear = async <K extends AddedSays['kind']>(kind: K): Promise<Said<K>> => {
    const until = performance.now() + waitMs;
    for (;;) {
      const event = await talk.next(Math.max(0, until - performance.now()));
      if (event.kind !== 'line') throw failureOf(event, { destination, program, hasSpoken });
      const said = readAddingLine(event.line, AddedSays);
      if (said === undefined) continue;
      hasSpoken = true;
      if (said?.kind === 'failed') {
        const { code, message, hint, ...rest } = said.error;
        throw errorFromBody({ ...rest, code, message: `${destination}: ${cleanLine(message)}`, hint: cleanLine(hint) });
      }
      if (said?.kind !== kind) throw unexpected(destination);
      return said as Said<K>;
    }
  };
  return {
    hear,
    ask: (message, kind) => {
      talk.send(addingLine(message));
      return hear(kind);
    },
  };
}

const unexpected = (destination: string): CatalogueError =>
  new CatalogueError('machine_version', `CBOS on ${destination} gives an answer that this version does not expect`);

/** The exit codes of a shell that did not find the program, or could not run it, and of ssh if it could not connect. */
const NOT_FOUND = new Set<number | null>([126, 127]);
const SSH_FAILED = 255;

function failureOf(
  event: Exclude<SshEvent, { kind: 'line' }>,
  { destination, program, hasSpoken }: { destination: string; program: string; hasSpoken: boolean },
): CatalogueError {
  if (event.kind === 'late') {
    return new CatalogueError('timed_out', `${destination} did not answer in time`, {
      hint: 'Try again; `--wait 10m` waits longer',
    });
  }
  if (event.kind === 'flooded') {
    return new CatalogueError('ssh_failed', `${destination} printed too much before CBOS answered`, {
      hint: `Find out with \`ssh ${destination}\` what its login shell prints`,
    });
  }
  const { code, said } = event;
  const why = said === '' ? '' : `: ${said}`;
  const hint = `Find out with \`ssh ${destination}\` why it cannot connect`;
  if (hasSpoken || code === SSH_FAILED || code === null) {
    return new CatalogueError('ssh_failed', `The connection to ${destination} failed${why}`, { hint });
  }
  if (NOT_FOUND.has(code)) {
    return new CatalogueError('cbos_missing', `${program} was not found on ${destination}${why}`);
  }
  return new CatalogueError('machine_version', `CBOS on ${destination} cannot be added over ssh${why}`, {
    hint: 'Update CBOS there; `--cbos /PATH/TO/cbos` names another one',
  });
}

async function greet(
  { out, version }: CliContext,
  partner: Partner,
  { options: { destination }, founder }: { options: AddMachine; founder: string | null },
): Promise<void> {
  const { cbos, started, fleet } = await partner.hear('hello');
  const name = cleanLine(cbos);
  out.notice(`found CBOS ${name}${name === version ? '' : ` (here ${version})`} there`);
  if (started) out.notice('its server was not running, and was started');
  if (fleet === null) return;
  if (fleet.founder !== null && fleet.founder === founder) {
    throw new CatalogueError('in_fleet', `${destination} already belongs to this fleet, as ${fleet.machine}`, {
      hint: '`cbos fleet ls` lists the machines',
    });
  }
  throw new CatalogueError('in_fleet', `${destination} already belongs to another fleet, as ${fleet.machine}`, {
    hint: 'Leave that fleet first: `cbos fleet leave` there',
  });
}

/** Matches addresses that mean the machine itself, whichever machine connects to them. */
const LOOPBACK = /^(127\.[\d.]+|0\.0\.0\.0|::1?|localhost)$/;

async function needsTunnel(
  { out }: CliContext,
  partner: Partner,
  { options: { destination, tunnel }, fleet }: { options: AddMachine; fleet: Fleet },
): Promise<boolean> {
  if (fleet.is_shared === true) return false;
  if (tunnel !== undefined) return tunnel;
  const colon = fleet.address.lastIndexOf(':');
  const [host, port] = [fleet.address.slice(0, colon), Number(fleet.address.slice(colon + 1))];
  const isLocal = LOOPBACK.test(host);
  const isReached = !isLocal && (await partner.ask({ kind: 'reach', host, port }, 'reached')).reachable;
  out.notice(
    isReached ? `it reaches ${fleet.address} directly` : `${destination} cannot reach ${fleet.address} directly`,
  );
  return !isReached;
}

async function untilSeen(client: Caller, { id, name }: Said<'joined'>, signal: AbortSignal): Promise<FleetMachine> {
  const until = performance.now() + SEEN_MS;
  for (;;) {
    const { machines } = await client.call('fleet');
    const found = machines.find((machine) => machine.id === id);
    if (found?.reachable === true && found.fault === null) return found;
    if (signal.aborted || performance.now() > until) {
      throw new CatalogueError(
        'machine_unreachable',
        `${name} joined, but does not respond: ${found?.fault ?? 'no answer'}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/**
 * Undoes everything. The other machine leaves as soon as the conversation ends, and the founder takes the invitation
 * back on its own, so one of them suffices.
 */
async function undo(
  { out }: CliContext,
  state: { talk: SshTalk | null; inviting: Promise<Invitation> | null; client: Caller; destination: string },
): Promise<void> {
  const { talk, client, destination } = state;
  const invitation = (await state.inviting?.catch(() => null)) ?? null;
  if (invitation === null) {
    await talk?.close();
    out.notice(`nothing was changed here, and ${destination} joined nothing`);
    return;
  }
  const isLeft = talk !== null && (await hasLeft(talk));
  try {
    const { removed } = await client.call('revokeInvitation', { params: { id: invitation.id } });
    out.notice('the invitation was taken back');
    if (removed === null) return;
    out.notice(
      isLeft
        ? `${removed} was removed from the fleet and has left it`
        : `${removed} was removed from the fleet; if \`cbos fleet ls\` on ${destination} still shows it, run \`cbos fleet leave\` there`,
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    out.notice(
      `the invitation could not be taken back (${why}); it expires automatically within ${VALID_S / 60} minutes`,
    );
  }
}

/** Ends the conversation, and reports whether the other machine said that it left the fleet. */
async function hasLeft(talk: SshTalk): Promise<boolean> {
  talk.finish();
  const until = performance.now() + LEAVE_MS;
  for (;;) {
    const event = await talk.next(Math.max(0, until - performance.now()));
    if (event.kind !== 'line') return false;
    if (readAddingLine(event.line, AddedSays)?.kind === 'left') return true;
  }
}
