import { isReady, type PromptRefusal, readPromptRefusal } from '../../protocol/index.ts';
import { isTurnRunning, type ScreenFrame } from '../status/index.ts';
import { boxHolds, normalisePrompt } from './box.ts';
import { type Change, type DeliveryRecord, lastTaken, statusOf } from './record.ts';
import { coverOf, draftOf, isBoxEmpty, type Seen } from './seen.ts';
import { isQueued } from './standing.ts';

/** The first line of the notice about a refused prompt. During a turn, the notice is below the prompt. */
const NOTICE = 'UserPromptSubmit operation blocked by hook:';
/** How the quoted prompt begins, which follows the hook's words. */
const QUOTE = 'Original prompt:';
/** The maximum number of lines of a notice that are read. */
const NOTICE_ROWS = 20;

/** Reads the newest notice about a refused prompt from the screen, or returns null if the screen shows none. */
export function refusalOnScreen({ lines }: ScreenFrame): PromptRefusal | null {
  const row = lines.findLastIndex((line) => line.includes(NOTICE));
  const column = lines[row]?.indexOf(NOTICE) ?? -1;
  if (column < 0) return null;
  const notice = lines.slice(row, row + NOTICE_ROWS).map((line) => line.slice(column).trim());
  const quote = notice.findIndex((line) => line.startsWith(QUOTE));
  if (quote < 0) return null;
  return readPromptRefusal([...notice.slice(0, 1), notice.slice(1, quote).join(' '), notice[quote]].join('\n'));
}

/**
 * Reports whether the last prompt may have been refused, whoever sent it: the hooks report it, but the session is
 * ready, and no hook has reported the end of a turn. An interrupt leaves the same signs.
 */
export const mayBeRefused = (seen: Seen): boolean =>
  !seen.isDead && isReady(seen.status) && coverOf(seen) === null && isTurnRunning(seen.hooks);

/**
 * Returns the changes for messages that one of the user's own `UserPromptSubmit` hooks has refused. All hooks run at
 * the same time, so CBOS's own has reported such a message as taken. Claude Code puts it back into the prompt
 * (2.1.330).
 * @param how.byScreen whether the notice on the screen counts, which does not show the line breaks of the hook's words
 */
export function refusedBy(seen: Seen, { byScreen } = { byScreen: true }): Change[] {
  const { told, deliveries, screen } = seen;
  const changes = new Map<string, Change>();
  const refuse = (record: DeliveryRecord | undefined, reason: string): void => {
    if (record === undefined || statusOf(record) !== 'delivered') return;
    const phase = isBack(record, seen) ? 'refused_back' : 'refused';
    changes.set(record.id, { id: record.id, phase, intoQueue: false, reason });
  };
  for (const [prompt, { at, words }] of told?.refused ?? []) {
    const record = newestOf(deliveries.recent, prompt, at);
    // The same text may have been accepted earlier, and may now have been typed by someone else.
    if (record !== undefined && (told?.taken.get(prompt) ?? 0) < record.createdAt) refuse(record, words);
  }
  const last = lastTaken(deliveries);
  const shown = screen === null || !byScreen ? null : refusalOnScreen(screen.frame);
  if (last === undefined || shown === null || changes.has(last.id) || !isBack(last, seen)) return [...changes.values()];
  const isQuoted = squeeze(last.text).startsWith(squeeze(shown.prompt ?? '').slice(0, QUOTED_CHARS));
  const wasTaken = (told?.taken.get(normalisePrompt(last.text)) ?? 0) >= last.createdAt;
  if (isQuoted && !wasTaken) refuse(last, shown.words);
  return [...changes.values()];
}

/** How many characters of the quoted prompt are compared. The screen may not show more of it. */
const QUOTED_CHARS = 40;
const squeeze = (text: string): string => text.replace(/\s+/g, '');

/** Returns the last message with this text that was accepted before a moment, whatever became of it. */
function newestOf(records: readonly DeliveryRecord[], prompt: string, at: number): DeliveryRecord | undefined {
  return records
    .filter(({ text, createdAt }) => createdAt <= at && normalisePrompt(text) === prompt)
    .toSorted((a, b) => b.createdAt - a.createdAt)[0];
}

const isBack = ({ text }: DeliveryRecord, seen: Seen): boolean => boxHolds(draftOf(seen) ?? '', text) === 'text';

/**
 * The same for a message that was typed during a turn. Claude Code shows its notice for eight seconds, so CBOS does not
 * wait for the end of the turn (2.1.330).
 */
export function refusedDuringTurn(seen: Seen): Change[] {
  const last = lastTaken(seen.deliveries);
  return last !== undefined && isQueued(last) && draftOf(seen) !== null ? refusedBy(seen) : [];
}

/** Returns the changes for refused messages that have left the prompt without CBOS. */
export const goneFromBox = (seen: Seen): Change[] =>
  isBoxEmpty(seen)
    ? seen.deliveries.recent.flatMap(({ id, phase }) => (phase === 'refused_back' ? [{ id, phase: 'refused' }] : []))
    : [];
