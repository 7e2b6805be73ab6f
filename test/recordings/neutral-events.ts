import type { ClaudeEvent, StoredEvent } from '../../src/protocol/index.ts';

/** When every recording begins, so that two of them differ only where Claude Code does. Unix milliseconds. */
const BEGIN_AT = Date.UTC(2026, 10, 20, 12);
const PLACE = '/tmp/world';
/**
 * How many entries of Claude Code's own lists (tools, commands, models) are kept. The lists have dozens of entries
 * and change with every build.
 */
const LISTED = 3;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const SOCKET = /\d+\.sock\b/g;

/**
 * Returns recorded events as lines of a fixture, without anything specific to the machine and the day: neutral paths,
 * ids numbered in the order in which they appear, times from `BEGIN_AT` on, and short lists.
 * @param directory the world in which they were recorded
 */
export function neutralizeEvents(events: readonly StoredEvent[], directory: string): string {
  const begunAt = (events[0]?.timestamp ?? 0) * 1_000;
  const ids = new Map<string, string>();
  const idFor = (id: string): string => {
    const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  const shift = (time: string): string => new Date(Date.parse(time) - begunAt + BEGIN_AT).toISOString();
  return events
    .map(({ seq, timestamp, event }) => {
      const at = Math.round(timestamp * 1_000 - begunAt + BEGIN_AT) / 1_000;
      const line = JSON.stringify({ seq, timestamp: at, event: cutLists(event) });
      return line
        .replaceAll(directory, PLACE)
        .replaceAll(directory.replaceAll(/[^A-Za-z0-9]/g, '-'), PLACE.replaceAll('/', '-'))
        .replace(UUID, idFor)
        .replace(TIME, shift)
        .replace(SOCKET, '1.sock');
    })
    .map((line) => `${line}\n`)
    .join('');
}

function cutLists(event: ClaudeEvent): ClaudeEvent {
  const isListing = event.subtype === 'init' || event.type === 'control_response';
  return isListing ? (cut(event) as ClaudeEvent) : event;
}

function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, LISTED).map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner)]));
}
