import { matchesState, parseStateSelector } from '../protocol/index.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { CliContext } from './context.ts';
import { ageText, fleetTable, type ShortMachineSessions } from './output/fleet-table.ts';
import { SHORT_FIELDS, type ShortSession, type SortKey, sortSessions } from './output/session-table.ts';

interface ListFleetOptions {
  state?: string;
  quiet?: boolean;
  sort?: SortKey;
  json?: boolean;
}

/** Prints the sessions on all machines in the fleet. */
export async function listFleet(context: CliContext, options: ListFleetOptions): Promise<void> {
  const { out, io } = context;
  const client = await context.client();
  const selector = options.state === undefined ? null : parseStateSelector(options.state);
  const selected = <M extends ShortMachineSessions>(fleet: readonly M[]): M[] =>
    fleet.map((machine) => ({
      ...machine,
      sessions: machine.sessions.filter((session) => selector === null || matchesState(session, selector)),
    }));
  if (options.json === true) return out.json(selected(await client.call('fleetSessions')));
  const fields = SHORT_FIELDS.join(',');
  const found = selected<ShortMachineSessions>(await client.call('fleetSessions', { query: { fields } }));
  const fleet = found.map((machine) => ({ ...machine, sessions: machine.sessions.map(withName(machine)) }));
  const sort = options.sort ?? 'attention';
  if (options.quiet === true) {
    // Scripts act on these names, so sessions on unreachable machines are omitted.
    const names = fleet.flatMap(({ reachable, sessions }) => (reachable ? sortSessions(sessions, sort) : []));
    out.lines(names.map(({ slug }) => cleanLine(slug)));
  } else {
    out.lines(fleetTable({ fleet, now: io.now(), sort, style: out.style, width: out.width }));
  }
  for (const { machine, is_self, reachable, age_ms, fault, unreadable } of fleet) {
    if (is_self) continue;
    if (!reachable) {
      const age =
        age_ms === null ? 'its sessions are unknown' : `its sessions are shown as they were ${ageText(age_ms)} ago`;
      out.notice(`${cleanLine(fault ?? machine)}; ${options.quiet === true ? 'its sessions are left out' : age}`);
    }
    if (unreadable > 0)
      out.notice(`${machine} has ${unreadable} more sessions, which this version of CBOS cannot read`);
  }
}

const withName =
  ({ machine }: Pick<ShortMachineSessions, 'machine'>) =>
  (session: ShortSession): ShortSession => ({ ...session, slug: `${machine}/${session.slug}` });
