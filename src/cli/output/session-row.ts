import type { Session } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { formatSince } from '../../text/durations.ts';
import {
  pathText,
  queueText,
  recordingText,
  sessionGist,
  sessionIcon,
  sessionStyle,
  stateText,
} from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { Cell, Column } from './table.ts';

/** A path relative to `~`, and the time, are the reader's. */
export interface Reader {
  now: number;
  home: string | undefined;
}

export const SESSION_COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'SLUG', keeps: 'both ends' },
  { title: 'STATE' },
  { title: 'FOR', worth: 2 },
  { title: 'PATH', keeps: 'end', worth: 1 },
  { title: 'SAYS', keeps: 'start', least: 20, worth: 3 },
];

/** A row of `cbos ls`. */
export function sessionRow(session: Session, { now, home }: Reader): Cell[] {
  const style = sessionStyle(session);
  const gist = session.adopted
    ? [blockedText(session), recordingText(session), queueText(session), sessionGist(session)]
        .filter(Boolean)
        .join('; ')
    : `only observed; cbos adopt ${session.screen_id ?? ''}`;
  return [
    { text: sessionIcon(session), style },
    { text: cleanLine(session.slug), style: 'bold' },
    { text: stateText(session), style },
    { text: formatSince(session.status.since, now) },
    { text: pathText(session.path, home), style: 'dim' },
    { text: cleanLine(gist) },
  ];
}
