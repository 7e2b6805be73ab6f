import { randomUUID } from 'node:crypto';
import {
  askerOf,
  changesSomething,
  createTickets,
  grantedRights,
  isInboxOf,
  MAX_PAYLOAD_BYTES,
  missingRights,
  versionGap,
} from '../../core/machines/index.ts';
import type { NatsMessage } from '../../platform/nats/index.ts';
import {
  CatalogueError,
  MachineAsk,
  type MachineCall,
  type MachineFacts,
  type MachineReply,
  type MachineRows,
  type MachineStamp,
  type MachineTicket,
  type Member,
  type Right,
  type Roster,
  type RowsVersion,
  WireVersion,
} from '../../protocol/index.ts';
import { toFailure } from '../http/error-response.ts';
import type { Logger } from '../logger.ts';
import type { Watches } from './watches.ts';

/**
 * How many requests from one machine are handled at the same time. Further requests are refused, because otherwise a
 * single machine could keep the server busy. Each terminal that the other machine shows takes up one of these requests
 * while it waits for output.
 */
const MOST_AT_ONCE = 64;

export interface AnswerAsksOptions {
  elapsed(): number;
  stamp(): MachineStamp;
  facts(): Omit<MachineFacts, 'may'>;
  /**
   * whether another server with this machine's key is running; no one could tell the answers of the two servers apart
   */
  isDoubled(): boolean;
  /**
   * @param known the version of the list that the requesting machine already has; if the list has not changed, the
   * result omits the sessions
   */
  rows(known?: RowsVersion): MachineRows;
  roster(): Roster;
  /** returns the maximum rights that this machine allows other machines */
  allowed(): readonly Right[];
  /** the sessions here that other machines watch */
  watches(): Watches;
  /** takes news of a session that this machine watches; null if it does not */
  onWatched(owner: Member, ask: Extract<MachineAsk, { kind: 'watched' }>): Promise<{ more: boolean } | null>;
  /** carries out a permitted call, and returns the same result as the REST interface */
  carryOut(call: MachineCall): Promise<unknown>;
  /** gives a machine another name; only the founder can do this */
  onRename(member: Member, name: string): Promise<void>;
  /** removes a machine that is leaving the fleet; only the founder can remove machines */
  onLeave(member: Member): void;
  logger: Logger;
}

/**
 * Answers requests from other machines. All rights are checked here, whatever rights the requesting machine believes it
 * has.
 */
export function createAskListener(options: AnswerAsksOptions): (message: NatsMessage) => void {
  const tickets = createTickets({ elapsed: options.elapsed, makeName: randomUUID });
  const running = new Map<string, number>();

  const { boot } = options.stamp();
  const requireTicket = (asker: Member, given: MachineTicket | null): void => {
    if (given !== null && tickets.use(asker.id, given.ticket)) return;
    throw new CatalogueError('machine_unreachable', 'The request arrived too late and was not carried out');
  };

  async function answer(asker: Member, ask: MachineAsk): Promise<unknown> {
    if (options.isDoubled()) throw new CatalogueError('machine_doubled');
    const granted = grantedRights(asker.rights, options.allowed());
    switch (ask.kind) {
      case 'ping':
        return { ...options.stamp(), ...options.facts(), may: [...granted] };
      case 'roster':
        return options.roster();
      case 'rename':
        requireTicket(asker, ask.ticket);
        return options.onRename(asker, ask.name);
      case 'leave':
        options.onLeave(asker);
        return null;
      case 'rows':
        requireRights(granted, { route: 'listSessions' });
        return { ...options.rows(ask.known), may: [...granted] };
      case 'ticket': {
        const ticket = tickets.issue(asker.id);
        if (ticket === null) throw tooMuch();
        return { boot, ticket } satisfies MachineTicket;
      }
      case 'watch':
        requireRights(granted, { route: ask.of === 'events' ? 'events' : 'terminal' });
        return options.watches().watch(asker.id, ask);
      case 'read':
        requireRights(granted, { route: 'terminal' });
        return options.watches().read(ask);
      case 'unwatch':
        return options.watches().unwatch(asker.id, ask.watch);
      case 'watched': {
        const taken = await options.onWatched(asker, ask);
        if (taken === null) throw new CatalogueError('no_such_session', 'This machine does not watch such a session');
        return taken;
      }
      case 'call':
        // The ticket was issued for this call, so it is used up even if the call is refused.
        if (changesSomething(ask.call)) requireTicket(asker, ask.ticket);
        requireRights(granted, ask.call);
        if (changesSomething(ask.call)) {
          options.logger.info(
            { from: asker.name, route: ask.call.route, slug: ask.call.params?.slug },
            'another machine in the fleet handles this',
          );
        }
        return options.carryOut(ask.call);
    }
  }

  return (message) => {
    const id = askerOf(message.subject);
    if (!isInboxOf(message.reply, id)) return;
    const reply = (value: MachineReply): void => {
      const data = JSON.stringify(value);
      if (Buffer.byteLength(data) <= MAX_PAYLOAD_BYTES) message.respond(data);
      else fail(new CatalogueError('not_over_fleet', 'The answer is longer than the largest message between machines'));
    };
    const fail = (error: unknown): void =>
      reply({
        ok: false,
        error: toFailure(error, (unexpected) =>
          options.logger.error({ err: unexpected }, 'a request from another machine failed'),
        ).error,
      });
    const asker = options.roster().members.find((member) => member.id === id);
    // The founder's NATS server closes the connection of a removed machine. This check covers messages that were
    // already in transit, and all messages on a shared NATS server.
    if (asker === undefined) return fail(new CatalogueError('not_allowed_there', 'The machine is not in the fleet'));
    let ask: MachineAsk;
    try {
      ask = readAsk(message.data, options.stamp());
    } catch (error) {
      return fail(error);
    }
    // Another server with the same key issued the ticket and will answer. An answer from this server could arrive
    // first.
    if (isForAnother(ask, boot)) return;
    const atOnce = (running.get(id) ?? 0) + 1;
    if (atOnce > MOST_AT_ONCE) return fail(tooMuch());
    running.set(id, atOnce);
    answer(asker, ask)
      .then((value) => reply({ ok: true, value: value ?? null }), fail)
      .finally(() => running.set(id, (running.get(id) ?? 1) - 1));
  };
}

function readAsk(data: string, own: WireVersion): MachineAsk {
  let content: unknown;
  try {
    content = JSON.parse(data);
  } catch (cause) {
    throw new CatalogueError('invalid_request', "The request isn't valid JSON", { cause });
  }
  const ask = MachineAsk.safeParse(content);
  if (ask.data?.kind === 'ping') return ask.data;
  const version = WireVersion.safeParse(content).data;
  if (version === undefined || versionGap(own, version) !== 'none') throw new CatalogueError('machine_version');
  if (ask.success) return ask.data;
  throw new CatalogueError(
    'invalid_request',
    'This version of CBOS does not know the request that the other machine sent',
  );
}

const isForAnother = (ask: MachineAsk, boot: string): boolean =>
  (ask.kind === 'call' || ask.kind === 'rename') && ask.ticket !== null && ask.ticket.boot !== boot;

function requireRights(granted: readonly Right[], call: MachineCall): void {
  const missing = missingRights(call, granted);
  if (missing.length === 0) return;
  throw new CatalogueError('not_allowed_there', `This machine lacks the right to ${missing.join(' and to ')} there`);
}

const tooMuch = (): CatalogueError =>
  new CatalogueError(
    'machine_unreachable',
    'The other machine is already handling too many requests from this one; nothing was done',
  );
