/**
 * An event in an asciicast file: output, a change in the terminal's size, or the exit. `at` is in seconds from the
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
  /** when the recording began, in Unix seconds, or null if the recording does not contain that time */
  timestamp: number | null;
  title: string;
  /** the value of TERM in the recorded terminal, or null if unknown */
  term: string | null;
}

/**
 * How many units one second of recorded time is divided into. A finer unit would not look any better in a player, but
 * would make large files larger.
 */
const MICROSECONDS = 1_000_000;

/** Returns the first line of an asciicast file (docs.asciinema.org: asciicast v2 and v3, as of asciinema 3.0). */
export function castHeaderLine(header: CastHeader, version: CastVersion): string {
  const { cols, rows, timestamp, title, term } = header;
  const about = { ...(timestamp === null ? {} : { timestamp }), title };
  if (version === 2) {
    return line({ version, width: cols, height: rows, ...about, ...(term === null ? {} : { env: { TERM: term } }) });
  }
  return line({ version, term: { cols, rows, ...(term === null ? {} : { type: term }) }, ...about });
}

/**
 * Creates a function that formats events as lines. v2 gives each time relative to the start, v3 relative to the
 * previous event. Times are rounded relative to the start, so that rounding errors never add up. Only v3 has an exit
 * event, so v2 has no line for it.
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
