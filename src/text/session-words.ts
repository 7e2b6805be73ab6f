import {
  type Attending,
  type Attention,
  attentionOf,
  NEEDS,
  type Need,
  needOf,
  openQuestions,
  placeOf,
  type Question,
  rowOf,
  rowShown,
  SETTING_UP_RULE,
  type Session,
  tellingField,
  wasInterrupted,
} from '../protocol/index.ts';
import { askerText } from './asker-words.ts';
import { overBudgetText } from './budget-words.ts';
import { formatClock } from './durations.ts';
import { type Ended, endText, interruptedText } from './end-words.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { LIMIT_OVER_TEXT, limitText } from './limit-words.ts';
import { type Missing, missingText } from './missing-words.ts';
import { snoozeText } from './snooze-words.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

/** The colour of a session in a list: one of the terminal's standard colours, or dim. */
export type StateStyle = 'yellow' | 'cyan' | 'green' | 'red' | 'magenta' | 'dim';

/** The headings for the groups in a list. */
export const ATTENTION_TITLES: Readonly<Record<Attention, string>> = {
  needs_you: 'Needs you',
  done: 'Done',
  working: 'Working',
  new: 'New',
  unknown: 'Unknown',
  snoozed: 'Snoozed',
  parked: 'Parked',
  stopped: 'Stopped',
};

/** Returns the heading above a group's sessions, such as `Needs you (2)`. */
export function attentionHeading(attention: Attention, count: number): string {
  return `${ATTENTION_TITLES[attention]} (${count})`;
}

interface Look {
  icon: string;
  style: StateStyle | null;
}

const LOOKS: Readonly<Record<Attention | Need['look'], Look>> = {
  needs_you: { icon: '○', style: 'yellow' },
  fault: { icon: '✗', style: 'red' },
  stuck: { icon: '!', style: 'magenta' },
  done: { icon: '✓', style: 'green' },
  working: { icon: '●', style: 'cyan' },
  new: { icon: '◌', style: null },
  unknown: { icon: '?', style: 'dim' },
  snoozed: { icon: 'z', style: 'dim' },
  parked: { icon: '☾', style: 'dim' },
  stopped: { icon: '⊘', style: 'dim' },
};

export function sessionIcon(session: Attending): string {
  return rowShown(session).icon ?? lookOf(session).icon;
}

export function sessionStyle(session: Attending): StateStyle | null {
  return lookOf(session).style;
}

function lookOf(session: Attending): Look {
  if (wasInterrupted(session)) return { icon: '✗', style: 'dim' };
  return LOOKS[needOf(session)?.look ?? attentionOf(session)];
}

/** Returns an icon and how many sessions it applies to, such as `○ 2 need you` or `✓ 1 done`. */
export function attentionCount(attention: Attention, count: number): string {
  const title = ATTENTION_TITLES[attention].toLowerCase();
  return `${LOOKS[attention].icon} ${count} ${attention === 'needs_you' && count > 1 ? 'need you' : title}`;
}

export function attentionStyle(attention: Attention): StateStyle | null {
  return LOOKS[attention].style;
}

/**
 * Returns what a session is doing or what it wants, in everyday words such as `asks permission`, `using tools`, `done`,
 * or `stopped`.
 */
export function stateText(session: Attending): string {
  const need = needOf(session);
  if (need === NEEDS.ended && session.ended?.by === 'killed') return 'killed';
  if (need !== null) return need.words;
  if (session.snoozed != null) return snoozeText(session.snoozed);
  const attention = attentionOf(session);
  const { words } = rowShown(session);
  if (words !== undefined) return words;
  if (attention === 'new' && session.status.primary === null) {
    return session.status.because?.rule === SETTING_UP_RULE ? 'setting up' : 'starting';
  }
  if (attention === 'stopped' && session.lost !== undefined) return 'lost';
  if (wasInterrupted(session)) return NEEDS.interrupted.words;
  return ATTENTION_TITLES[attention].toLowerCase();
}

/** Returns a note that the session's queue is paused, or an empty string if the queue is not paused. */
export function queueText({ queue_stopped_at: stoppedAt }: Pick<Session, 'queue_stopped_at'>): string {
  // An older server does not send this field.
  if (stoppedAt == null) return '';
  const at = Date.parse(stoppedAt);
  return Number.isNaN(at) ? '' : `queue paused by an interrupt at ${formatClock(at)}`;
}

/** Returns a note that the session is parked, or an empty string if the session is not parked. */
export function parkedText({ parked_at: parkedAt }: Pick<Session, 'parked_at'>): string {
  // An older server does not send this field.
  const at = Date.parse(parkedAt ?? '');
  return Number.isNaN(at) ? '' : `parked since ${formatClock(at)}: it has no process, and the next prompt wakes it`;
}

/**
 * Returns a note that the session's output is not being recorded at the moment, or an empty string if the output is
 * being recorded.
 */
export function recordingText({
  recording_stopped_at: stoppedAt,
  recording_stopped_because: because,
  undrawn_since: undrawnSince,
}: Pick<Session, 'recording_stopped_at' | 'recording_stopped_because' | 'undrawn_since'>): string {
  if (undrawnSince !== undefined) {
    return `not drawn since ${formatClock(Date.parse(undrawnSince))}: drawing its output takes too long`;
  }
  // An older server does not send this field.
  if (stoppedAt == null) return '';
  const at = Date.parse(stoppedAt);
  if (Number.isNaN(at)) return '';
  const why = because === 'removed' ? 'its files were removed' : 'the disk is full';
  return `not recorded since ${formatClock(at)}: ${why}`;
}

/** Returns a line such as `2 sessions that were listed again: AUTH, BUILD`. */
export function broughtBackText(slugs: readonly string[]): string {
  const count = slugs.length === 1 ? '1 session that was' : `${slugs.length} sessions that were`;
  return `${count} listed again: ${slugs.toSorted().map(cleanLine).join(', ')}`;
}

/**
 * Returns one line that says what a session asks, or otherwise what it is doing, what went wrong, or how its last
 * answer ended.
 */
export function sessionGist(
  session: Pick<Session, 'status' | 'path' | 'place'> &
    Ended &
    Missing &
    Partial<Pick<Session, 'rate_limit' | 'limit_over_at' | 'over_budget'>>,
): string {
  const { status } = session;
  if (session.other_conversation !== undefined) return missingText(session);
  if (status.primary === 'dead') return endText(session);
  if (status.question !== null) {
    const others = openQuestions(status).length - 1;
    const gist = questionGist(status.question, placeOf(session));
    return others === 0 ? gist : `${gist} (and ${others} more)`;
  }
  if (session.over_budget !== undefined && session.over_budget.holds > 0) return overBudgetText(session.over_budget);
  const { rule, evidence } = status.because;
  if (session.limit_over_at !== undefined) return LIMIT_OVER_TEXT;
  const { ends } = rowOf(status);
  if (ends === 'limit') return limitText(session.rate_limit) || firstLine(evidence);
  if (ends === 'finished' && session.interrupted_at !== undefined) return interruptedText(session);
  if (ends === 'finished') return LAST_WORDS.some((end) => rule.endsWith(end)) ? lastLine(evidence) : '';
  // The words of a hook may have several lines, and the reason may be in the last one.
  if (ends === 'failed') return cleanLine(evidence).replace(/ +/g, ' ');
  return status.primary === 'active' || status.primary === 'stuck' ? firstLine(evidence) : '';
}

/** Returns one line that says what a question asks, and who asks if it is not the session itself. */
function questionGist(question: Question, path: string | null): string {
  const { kind, text, tool } = question;
  const asked = firstLine(showHiddenMarks(text));
  // Only a permission request concerns the tool itself. A question or a plan also uses a tool, but its own text says
  // what the session wants.
  const gist =
    tool === null || kind !== 'permission' ? asked : `${cleanLine(tool.name)}: ${toolGist(tool.input, path) || asked}`;
  const who = askerText(question);
  return who === '' ? gist : `${who}: ${gist}`;
}

/** The rules whose evidence is the end of the last answer or the way the turn ended. */
const LAST_WORDS = ['.Stop', 'json.result', 'json.interrupted'];

function lastLine(text: string): string {
  return (
    cleanBlock(text)
      .split('\n')
      .map(cleanLine)
      .findLast((line) => line !== '') ?? ''
  );
}

/**
 * Describes a tool's input in one line, or returns an empty string if the input contains nothing worth showing.
 * @param folder the session's folder; the paths of files inside this folder are shown relative to it
 */
export function toolGist(input: unknown, folder: string | null = null): string {
  if (typeof input === 'string') return cleanLine(showHiddenMarks(input));
  if (typeof input !== 'object' || input === null) return '';
  const telling = tellingField(input);
  if (telling !== null) return cleanLine(showHiddenMarks(isFile(input, telling) ? below(folder, telling) : telling));
  const fields = new Map<string, unknown>(Object.entries(input));
  return questionsGist(fields.get('questions')) ?? (fields.size === 0 ? '' : cleanLine(JSON.stringify(input)));
}

const FILE_FIELDS = ['file_path', 'notebook_path'];

function isFile(input: object, telling: string): boolean {
  return Object.entries(input).some(([name, value]) => value === telling && FILE_FIELDS.includes(name));
}

const below = (folder: string | null, path: string): string =>
  folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/**
 * Returns the text of the questions in the input of AskUserQuestion, or null if the value is not a list of questions.
 */
function questionsGist(questions: unknown): string | null {
  if (!Array.isArray(questions)) return null;
  const asked = questions
    .map((one: { question?: unknown } | null) => one?.question)
    .filter((text) => typeof text === 'string');
  return asked.length === 0 ? null : cleanLine(asked.join(' '));
}

/** Returns the first line that is not blank. */
export function firstLine(text: string): string {
  return (
    cleanBlock(text)
      .split('\n')
      .map(cleanLine)
      .find((line) => line !== '') ?? ''
  );
}

/** Returns a model's short name: `claude-sonnet-4-5-20250929` becomes `sonnet-4-5`. */
export function modelText(model: string | null): string {
  return cleanLine(model ?? '')
    .replace(/^claude-/, '')
    .replace(/-\d{8}$/, '');
}

/** Returns a path in the form in which users write it, such as `~/src/auth`. */
export function pathText(path: string | null, home: string | undefined): string {
  if (path === null) return '';
  const isBelow = home !== undefined && home !== '' && (path === home || path.startsWith(`${home}/`));
  return cleanLine(isBelow ? `~${path.slice(home.length)}` : path);
}

/** Describes a session in one line, for places that do not show a table: `○ AUTH asks permission Bash: npm test`. */
export function sessionLine(session: Session): string {
  return [`${sessionIcon(session)} ${cleanLine(session.slug)}`, stateText(session), sessionGist(session)]
    .filter((part) => part !== '')
    .join('  ');
}
