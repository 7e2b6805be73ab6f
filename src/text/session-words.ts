import { iconOf, type Session, type State } from '../protocol/index.ts';
import { formatClock } from './durations.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

/** How a state is dressed up: one of the terminal's own colours, or dim. */
export type StateStyle = 'yellow' | 'cyan' | 'green' | 'red' | 'magenta' | 'dim';

const STATE_STYLES: Readonly<Record<State, StateStyle | null>> = {
  waiting: 'yellow',
  thinking: 'cyan',
  working: 'green',
  idle: null,
  error: 'red',
  dead: 'dim',
  unknown: 'dim',
};

type Shown = Pick<Session, 'state'> & { status: Pick<Session['status'], 'primary' | 'detail'> };

/** A newer server may have words that this version does not know; they are shown as they are. */
export function sessionIcon({ state, status }: Shown): string {
  return iconOf(status.primary, state) ?? '?';
}

export function sessionStyle({ state, status }: Shown): StateStyle | null {
  return status.primary === 'stuck' ? 'magenta' : (STATE_STYLES[state] ?? null);
}

/** The state for people: `waiting (permission)`, `working (using tools)`, `stuck (working)`, `idle`. */
export function stateText({ state, status }: Shown): string {
  if (status.primary === 'stuck') return `stuck (${state})`;
  // `thinking (thinking)`, `idle (ready)` and `error (error)` would say one thing twice; a turn that is over needs no more words than
  // `waiting`.
  const isSaid = status.detail === null || status.detail === state || status.primary === 'idle';
  return cleanLine(isSaid ? state : `${state} (${String(status.detail).replaceAll('_', ' ')})`);
}

/** That its waiting texts are kept back; empty while they may go. */
export function queueText({ queue_stopped_at: stoppedAt }: Pick<Session, 'queue_stopped_at'>): string {
  // An older server does not tell.
  const at = Date.parse(stoppedAt ?? '');
  return Number.isNaN(at) ? '' : `queue stopped at ${formatClock(at)}, by an interrupt`;
}

/** That what it shows is not recorded for now; empty while it is recorded. */
export function recordingText({
  recording_stopped_at: stoppedAt,
  recording_stopped_because: because,
  undrawn_since: undrawnSince,
}: Pick<Session, 'recording_stopped_at' | 'recording_stopped_because' | 'undrawn_since'>): string {
  if (undrawnSince !== undefined) {
    return `not drawn since ${formatClock(Date.parse(undrawnSince))}: a part of its output takes too long`;
  }
  // An older server does not tell.
  const at = Date.parse(stoppedAt ?? '');
  if (Number.isNaN(at)) return '';
  const why = because === 'removed' ? 'its files were removed' : 'the disk is full';
  return `not recorded since ${formatClock(at)}: ${why}`;
}

/** `2 sessions that were listed again: AUTH, BUILD` */
export function broughtBackText(slugs: readonly string[]): string {
  const count = slugs.length === 1 ? '1 session that was' : `${slugs.length} sessions that were`;
  return `${count} listed again: ${slugs.toSorted().map(cleanLine).join(', ')}`;
}

/** What a session asks, or else what it is doing or what went wrong, in a line. */
export function sessionGist({ status }: Pick<Session, 'status'>): string {
  if (status.question !== null) {
    const { kind, text, tool } = status.question;
    const asked = firstLine(text);
    // Only a permission is about the tool; a question or a plan comes through one, but says itself what it wants.
    return tool === null || kind !== 'permission' ? asked : `${cleanLine(tool.name)}: ${toolGist(tool.input) || asked}`;
  }
  const tells = status.primary === 'active' || status.primary === 'stuck' || status.detail === 'error';
  return tells ? firstLine(status.because.evidence) : '';
}

/** The field of a tool's input that says most, as Claude Code's own dialogs show it. */
const TELLING_FIELDS = ['command', 'file_path', 'path', 'url', 'query', 'pattern', 'description'];

/** A tool's input in a line; empty where it has nothing to say. */
export function toolGist(input: unknown): string {
  if (typeof input === 'string') return cleanLine(showHiddenMarks(input));
  if (typeof input !== 'object' || input === null) return '';
  const fields = new Map<string, unknown>(Object.entries(input));
  for (const name of TELLING_FIELDS) {
    const value = fields.get(name);
    if (typeof value === 'string') return cleanLine(showHiddenMarks(value));
  }
  return questionsGist(fields.get('questions')) ?? (fields.size === 0 ? '' : cleanLine(JSON.stringify(input)));
}

/** What AskUserQuestion asks; null for what is no list of questions. */
function questionsGist(questions: unknown): string | null {
  if (!Array.isArray(questions)) return null;
  const asked = questions
    .map((one: { question?: unknown } | null) => one?.question)
    .filter((text) => typeof text === 'string');
  return asked.length === 0 ? null : cleanLine(asked.join(' '));
}

/** The first line that says something. */
export function firstLine(text: string): string {
  return (
    cleanBlock(text)
      .split('\n')
      .map(cleanLine)
      .find((line) => line !== '') ?? ''
  );
}

/** A path as people write it: `~/src/auth`. */
export function pathText(path: string | null, home: string | undefined): string {
  if (path === null) return '';
  const isBelow = home !== undefined && home !== '' && (path === home || path.startsWith(`${home}/`));
  return cleanLine(isBelow ? `~${path.slice(home.length)}` : path);
}

/** A session in a line, where no table is: `○ AUTH  waiting (permission)  Bash: npm test`. */
export function sessionLine(session: Session): string {
  return [`${sessionIcon(session)} ${cleanLine(session.slug)}`, stateText(session), sessionGist(session)]
    .filter((part) => part !== '')
    .join('  ');
}
