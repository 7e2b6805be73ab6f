import type { FleetMachine, MachineSessions } from '../../protocol/index.ts';
import { formatDuration } from '../../text/durations.ts';
import { causeText } from '../../text/machine-words.ts';
import type { Style } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import {
  attentionHeadings,
  type Reader,
  type ShortSession,
  type SortKey,
  shortTable,
  sortSessions,
} from './session-table.ts';
import { type Cell, renderTable } from './table.ts';

/** A machine's sessions, named `machine/SESSION`, with the fields that `cbos ls --fleet` needs. */
export interface ShortMachineSessions extends Omit<MachineSessions, 'sessions'> {
  sessions: readonly ShortSession[];
}

interface FleetTable {
  fleet: readonly ShortMachineSessions[];
  now: number;
  sort: SortKey;
  style: Style;
  width: number | null;
}

/**
 * Returns the output lines of `cbos ls --fleet`: the sessions on all machines in one list. Sessions whose state may be
 * out of date are grey.
 */
export function fleetTable({ fleet, now, sort, style, width }: FleetTable): string[] {
  const sessionsOf = (isCurrent: boolean): ShortSession[] =>
    fleet.flatMap(({ reachable, sessions }) => (reachable === isCurrent ? sessions : []));
  const current = sessionsOf(true);
  const old = sessionsOf(false);
  // Branches, models and resources are known only for sessions on this machine.
  const reader: Reader = { now, home: undefined, branchOf: () => '', modelOf: () => null, resourcesOf: () => null };
  const table = (rows: readonly ShortSession[], shown: { style: Style; hasHeadings: boolean }): string[] =>
    shortTable({
      sessions: sortSessions(rows, sort),
      reader,
      headingOf: shown.hasHeadings ? attentionHeadings(rows) : null,
      style: shown.style,
      width,
    });
  const lines =
    current.length > 0 ? table(current, { style, hasHeadings: width !== null && sort === 'attention' }) : [];
  if (old.length === 0) return lines;
  const headings = fleet
    .filter(({ reachable, sessions: own }) => !reachable && own.length > 0)
    .map(
      ({ machine, age_ms, cause }) => `${cleanLine(machine)} ${causeText(cause)}; last update ${ageText(age_ms)} ago`,
    );
  const rows = table(old, { style: (_name, text) => text, hasHeadings: false });
  // Output to a pipe consists of one row per session, without the lines about unreachable machines.
  const kept = lines.length > 0 ? rows.slice(1) : rows;
  return [...lines, ...(width === null ? [] : headings), ...kept].map((line, index) =>
    index < lines.length ? line : style('dim', line),
  );
}

/** Returns the output lines of `cbos fleet ls`. */
export function machineTable(machines: readonly FleetMachine[], style: Style, width: number | null): string[] {
  return renderTable({
    columns: [
      { title: 'MACHINE' },
      { title: 'STATE' },
      { title: 'LOAD' },
      { title: 'LABELS' },
      { title: 'MAY', keeps: 'start', worth: 1 },
    ],
    rows: machines.map((machine): Cell[] => [
      { text: machine.name, style: 'bold' },
      stateCell(machine),
      { text: machine.load === undefined ? '' : `${Math.round(machine.load * 100)} %` },
      { text: machine.labels?.join(', ') ?? '' },
      { text: machine.is_founder ? 'everything, as the founder of the fleet' : machine.rights.join(', ') },
    ]),
    style,
    width,
  });
}

function stateCell({ is_self, reachable, age_ms, fault, tunnel }: FleetMachine): Cell {
  if (is_self) return { text: 'this machine' };
  if (fault !== null) return { text: 'takes no part', style: 'dim' };
  const way = tunnel === undefined ? '' : ' through ssh';
  if (reachable) return { text: `reachable${way}` };
  return {
    text: age_ms === null ? 'unreachable' : `unreachable, last heard from ${ageText(age_ms)} ago`,
    style: 'dim',
  };
}

/** Returns a sentence about a tunnel that does not work, or null. */
export function tunnelFault({ name, tunnel }: FleetMachine): string | null {
  if (tunnel === undefined || tunnel.state === 'open') return null;
  const to = `the tunnel to ${name} (${tunnel.destination})`;
  return tunnel.state === 'opening' ? `${to} is being opened` : `${to} is not open: ${cleanLine(tunnel.fault)}`;
}

export const ageText = (ageMs: number | null): string => (ageMs === null ? 'an unknown time' : formatDuration(ageMs));
