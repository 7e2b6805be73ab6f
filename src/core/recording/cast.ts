/**
 * What asciinema's files are made of: output that a terminal shows, and changes of its size. `at` in seconds from the
 * start.
 */
export type CastEvent =
  | { kind: 'output'; at: number; text: string }
  | { kind: 'resize'; at: number; cols: number; rows: number }
  | { kind: 'exit'; at: number; code: number };

export type CastVersion = 2 | 3;

export interface CastHeader {
  cols: number;
  rows: number;
  /** when the recording began, Unix seconds; null where it does not say */
  timestamp: number | null;
  title: string;
  /** the recorded terminal's TERM, null where it is not known */
  term: string | null;
}

/** Players draw nothing better with more, and a file of millions of events stays small. */
const MICROSECONDS = 1_000_000;

/** The first line of an asciicast file (docs.asciinema.org: asciicast v2 and v3, as of asciinema 3.0). */
export function castHeaderLine(header: CastHeader, version: CastVersion): string {
  const { cols, rows, timestamp, title, term } = header;
  const about = { ...(timestamp === null ? {} : { timestamp }), title };
  if (version === 2) {
    return line({ version, width: cols, height: rows, ...about, ...(term === null ? {} : { env: { TERM: term } }) });
  }
  return line({ version, term: { cols, rows, ...(term === null ? {} : { type: term }) }, ...about });
}

/**
 * Writes events as lines, one after the other: v2 counts times from the start, v3 from the event before, so that
 * rounding never adds up. An exit is known to v3 only and is no line in v2.
 */
export function createCastWriter(version: CastVersion): (event: CastEvent) => string {
  let before = 0;
  return (event) => {
    if (event.kind === 'exit' && version === 2) return '';
    const at = Math.max(Math.round(event.at * MICROSECONDS), before);
    const time = (version === 2 ? at : at - before) / MICROSECONDS;
    before = at;
    switch (event.kind) {
      case 'output':
        return line([time, 'o', event.text]);
      case 'resize':
        return line([time, 'r', `${event.cols}x${event.rows}`]);
      case 'exit':
        return line([time, 'x', String(event.code)]);
    }
  };
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
