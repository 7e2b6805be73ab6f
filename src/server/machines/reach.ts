import { versionGap } from '../../core/machines/index.ts';
import type { NatsLink } from '../../platform/nats/index.ts';
import {
  CatalogueError,
  type MachineCall,
  type MachineCause,
  type Member,
  type WireVersion,
} from '../../protocol/index.ts';
import { type AskOptions, ask, callOwner, type Question, unreachable } from './ask-machine.ts';
import type { Peers, Presence } from './peers.ts';

export interface Reach {
  /**
   * Requests the sessions of a machine, or only checks whether the machine is reachable. Returns the error, or null if
   * there was none.
   */
  look(member: Member, kind: 'rows' | 'ping'): Promise<CatalogueError | null>;
  /**
   * Sends a request that changes no session.
   * @throws CatalogueError machine_version before anything is sent, and every error of `ask`
   */
  ask(member: Member, question: Question): Promise<unknown>;
  /** @throws CatalogueError machine_version before anything is sent, and every error of `callOwner` */
  call(member: Member, call: MachineCall): Promise<unknown>;
}

/**
 * Sends requests to other machines, as long as their version is not too different from this machine's. Only a ping is
 * sent to machines of any version.
 */
export function createReach(options: {
  link(): NatsLink | null;
  self: string;
  wire: WireVersion;
  peers: Peers;
  elapsed(): number;
}): Reach {
  const { self, wire, peers, elapsed } = options;

  async function connect(member: Member, isFresh: boolean): Promise<AskOptions> {
    const link = options.link();
    if (link === null) throw unreachable(member.name);
    const askOptions = { link, self, owner: member.id, name: member.name, wire };
    const presence = peers.presenceOf(member.id);
    // A machine whose version was too different may have been updated since.
    if (isFresh || presence === null || versionGap(wire, presence) !== 'none') await ping(askOptions);
    const now = peers.presenceOf(member.id);
    if (now !== null) requireVersion(member, wire, now);
    return askOptions;
  }

  async function ping(askOptions: AskOptions): Promise<void> {
    const askedMs = elapsed();
    peers.onAnswer(askOptions.owner, askedMs, await ask(askOptions, { kind: 'ping' }));
  }

  return {
    look: async (member, kind) => {
      try {
        const askOptions = await connect(member, kind === 'ping');
        if (kind === 'ping') return null;
        const known = peers.known(member.id);
        const askedMs = elapsed();
        const answer = await ask(askOptions, known === null ? { kind } : { kind, known });
        peers.onAnswer(member.id, askedMs, answer);
        return null;
      } catch (error) {
        if (error instanceof CatalogueError) return error;
        throw error;
      }
    },
    ask: async (member, question) => ask(await connect(member, false), question),
    call: async (member, call) => callOwner(await connect(member, false), call),
  };
}

function requireVersion({ name }: Member, own: WireVersion, other: Presence): void {
  const gap = versionGap(own, other);
  if (gap === 'none') return;
  const cbos = other.cbos === null ? '' : ` (CBOS ${other.cbos})`;
  throw new CatalogueError(
    'machine_version',
    `${name} speaks version ${versionText(other)} of the fleet's protocol${cbos} and this machine speaks ${versionText(own)}; nothing was sent there`,
    { hint: gap === 'older' ? `Update CBOS on ${name}` : 'Update CBOS on this machine' },
  );
}

const versionText = ({ v, minor }: WireVersion): string => `${v}.${minor}`;

const CAUSES: Partial<Record<CatalogueError['code'], MachineCause>> = {
  machine_unreachable: 'unreachable',
  machine_silent: 'unreachable',
  machine_version: 'version',
  machine_doubled: 'doubled',
};

/** Returns why a machine's list of sessions is not current, given the error. */
export const causeOf = ({ code }: CatalogueError): MachineCause => CAUSES[code] ?? 'refused';
