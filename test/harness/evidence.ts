import { readFileSync } from 'node:fs';
import type { ScreenFrame } from '../../src/core/status/screen/screen-evidence.ts';

/** A recorded line of evidence. `t` is in milliseconds from the start of the recording. */
export type EvidenceLine =
  | {
      t: number;
      source: 'meta';
      scene: string;
      version: string;
      cols: number;
      rows: number;
      /** Unix milliseconds of t = 0 */
      startedAt: number;
    }
  /** only the rows that changed, by row number; `dim` and `cursor` are complete */
  | { t: number; source: 'screen'; rows: Record<string, string>; cursor: [row: number, col: number]; dim: number[] }
  | { t: number; source: 'hook'; event: string; payload: Record<string, unknown> }
  /** null if the file is gone */
  | { t: number; source: 'registry'; record: Record<string, unknown> | null }
  | { t: number; source: 'process'; alive: boolean }
  | { t: number; source: 'api'; kind: string; request: number; [field: string]: unknown }
  /** the keys that were typed, and the name of the step */
  | { t: number; source: 'key'; keys: string; step: string };

/** A line of evidence with the whole screen. */
export type EvidenceStep =
  | Exclude<EvidenceLine, { source: 'screen' }>
  | { t: number; source: 'screen'; frame: ScreenFrame };

/** Reads recorded evidence and assembles whole frames of the screen. */
export function readEvidence(file: string): EvidenceStep[] {
  let lines: string[] = [];
  let size = { cols: 0, rows: 0 };
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text): EvidenceStep => {
      const line = JSON.parse(text) as EvidenceLine;
      if (line.source === 'meta') {
        size = { cols: line.cols, rows: line.rows };
        lines = Array.from({ length: line.rows }, () => '');
      }
      if (line.source !== 'screen') return line;
      lines = [...lines];
      for (const [row, content] of Object.entries(line.rows)) lines[Number(row)] = content;
      const [row, col] = line.cursor;
      return { t: line.t, source: 'screen', frame: { lines, cursor: { row, col }, ...size, dimRows: line.dim } };
    });
}
