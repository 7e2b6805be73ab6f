import type { DroppedRecording, Recordings } from '../protocol/index.ts';
import { formatDateTime } from './durations.ts';
import { cleanLine } from './terminal-text.ts';

const MEGABYTE = 1_000_000;

/** Formats a size, such as `12 MB` or `1.5 GB`. Sizes of less than a megabyte are given in kB. */
export function formatSize(bytes: number): string {
  if (bytes < MEGABYTE) return `${Math.ceil(bytes / 1_000)} kB`;
  return bytes < 1_000 * MEGABYTE
    ? `${Math.floor(bytes / MEGABYTE)} MB`
    : `${(bytes / (1_000 * MEGABYTE)).toFixed(1)} GB`;
}

/** Describes what was dropped, such as `the oldest 12 MB of AUTH (max_recording_size), 2026-11-20`. */
export function dropText({ recording, reason, bytes, whole, at }: DroppedRecording): string {
  const what = whole ? `all ${formatSize(bytes)}` : `the oldest ${formatSize(bytes)}`;
  const [day = ''] = formatDateTime(Date.parse(at)).split(' ');
  if (reason === 'truncated') return cleanLine(`${what} of ${recording} (truncated by another program), ${day}`);
  return cleanLine(`${what} of ${recording} (${reason}), ${day}`);
}

/** Says why a session is not being recorded. */
export function faultText(code: string): string {
  if (code === 'ENOSPC') return 'the disk is full';
  return code === 'EDQUOT' ? 'the disk quota is used up' : `nothing can be written (${cleanLine(code)})`;
}

/** Describes how much space recordings use and what was dropped from them, one fact per line. */
export function recordingsLines(recordings: Recordings): string[] {
  const { total_bytes, max_total_size, free_bytes, fault, not_recorded, dropped } = recordings;
  return [
    `recordings take ${formatSize(total_bytes)} of ${formatSize(max_total_size)}, the disk has ${formatSize(free_bytes)} left`,
    ...(fault === null
      ? []
      : [`not recorded: ${not_recorded.map(cleanLine).join(', ') || 'all further output'}; ${faultText(fault)}`]),
    ...dropped.slice(0, SHOWN_DROPS).map((drop) => `dropped: ${dropText(drop)}`),
    ...(dropped.length > SHOWN_DROPS ? [`dropped: ${dropped.length - SHOWN_DROPS} more; cbos status --json`] : []),
  ];
}

/** The maximum number of entries about dropped recordings to show. `--json` shows all of them. */
const SHOWN_DROPS = 3;
