import { parseScreenId } from './screen-id.ts';

/**
 * The state of a Screen session, in one word. `dead` means a socket without a daemon. `unresponsive` means a daemon
 * that is suspended and does not answer. `foreign` means that the session belongs to another user or host.
 */
export type ScreenState = 'attached' | 'detached' | 'dead' | 'unresponsive' | 'foreign';

export interface ScreenLine {
  id: string;
  pid: number;
  name: string;
  state: ScreenState;
}

export interface ScreenLs {
  sessions: ScreenLine[];
  /** the socket directory, as reported in the last line, or null if that line is missing */
  dir: string | null;
}

/**
 * Parses the output of `screen -ls`: `\tPID.NAME\t(DATE)\t(State)`. Debian's version prints the date in the locale's
 * format; the original version prints no date. Either version may add a remark in further parentheses, so the state is
 * read from the last pair. Screen translates nothing else, so the words are the same in every locale.
 */
export function parseScreenLs(output: string): ScreenLs {
  const sessions: ScreenLine[] = [];
  for (const line of output.split('\n')) {
    const [, id, rest] = /^\t(\S.*?)\t(.*)$/.exec(line.trimEnd()) ?? [];
    const parsed = id === undefined ? null : parseScreenId(id);
    if (id === undefined || rest === undefined || parsed === null) continue;
    sessions.push({ id, ...parsed, state: readState(rest) });
  }
  return { sessions, dir: /(?:No Sockets found in|Sockets? in) (\/.*?)\.?\s*$/m.exec(output)?.[1] ?? null };
}

function readState(parentheses: string): ScreenState {
  const last = /\(([^()]*)\)[^()]*$/.exec(parentheses)?.[1] ?? '';
  if (/^remote or dead$|^private$/i.test(last)) return 'foreign';
  if (/^dead/i.test(last)) return 'dead';
  if (/attached/i.test(last)) return 'attached';
  if (/detached/i.test(last)) return 'detached';
  // The word with which newer versions of Screen report a daemon that did not answer in time. Older versions print
  // `???` instead.
  return 'unresponsive';
}
