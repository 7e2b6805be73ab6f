import type { Question } from '../../protocol/index.ts';
import { dialogKindOf } from './asked-call.ts';
import { acceptedIdentity } from './asked-forms.ts';
import type { Evidence, Verdict } from './evidence.ts';
import { fingerprint } from './fingerprint.ts';
import { callIdentity, drawnIdentity } from './question.ts';
import type { DrawnDialog, RememberedDialogs, ShownDialog } from './shown-dialog.ts';

/** How many dialogs are remembered. One is open at a time, and a late hook concerns one of the last. */
const MAX_SHOWN = 32;

export interface Identified {
  questions: readonly Question[];
  shown: readonly ShownDialog[];
}

/**
 * Gives each question the id under which it was first shown. A dialog may be on the screen before CBOS has read the
 * hook that reports its call. The id that a person has seen by then stays valid as long as the dialog is open. Another
 * dialog never gets the id, even if it looks the same.
 * @param before the dialogs that were shown earlier, and the question that was open
 */
export function identify(
  before: RememberedDialogs & { question: Question | null },
  verdict: Verdict,
  evidence: Evidence,
): Identified {
  const [first, ...rest] = verdict.questions;
  if (evidence.json !== undefined) return { questions: verdict.questions, shown: before.shown };
  const shown = withoutClosed(before.shown, verdict, evidence);
  if (first === undefined || first.kind === 'closing') return { questions: verdict.questions, shown };
  const dialog = dialogOf({ shown, question: before.question }, first, verdict, evidence);
  const isSame = shown.some((one) => JSON.stringify(one) === JSON.stringify(dialog));
  const others = shown.filter(({ id }) => id !== dialog.id && !dialog.also.includes(id));
  const now = isSame ? shown : [...others, dialog].slice(-MAX_SHOWN);
  // Claude Code shows the next dialog when the one before has been answered.
  const wasShown = ({ id, behind }: Question): boolean =>
    behind === true && shown.some(({ call, drawn }) => call === id && drawn !== null);
  const behind = rest
    .filter((question) => !wasShown(question))
    .map((question) => ({ ...question, id: shownAs(now, question.id) }));
  return { questions: [{ ...first, id: dialog.id }, ...behind], shown: now };
}

const shownAs = (shown: readonly ShownDialog[], id: string): string =>
  shown.findLast(({ call }) => call === id)?.id ?? id;

/**
 * Forgets how the dialogs looked that closed before a hook named their calls. A hook that CBOS reads later never
 * belongs to the next dialog that looks the same. Returns the same array if nothing changed.
 */
function withoutClosed(
  shown: readonly ShownDialog[],
  { drawn: now, questions }: Verdict,
  { screen }: Evidence,
): readonly ShownDialog[] {
  const isGone = screen?.reading.dialog == null && (screen?.reading.primary ?? null) !== null;
  // While a dialog is being drawn, its options are missing, and it does not look like itself yet.
  const isWhole = now !== null && (questions[0]?.options.length ?? 0) > 0;
  if (!isGone && !isWhole) return shown;
  const next = shown.map((one) => {
    if (one.call !== null || one.drawn === null) return one;
    if (isWhole && (one.drawn.openedAt === now.openedAt || one.redrawnAt === now.openedAt)) return one;
    const isRedrawn = isWhole && one.redrawnAt === null && one.drawn.looks === now.looks;
    return isRedrawn ? { ...one, redrawnAt: now.openedAt } : { ...one, drawn: null };
  });
  return next.some((one, index) => one !== shown[index]) ? next : shown;
}

function dialogOf(
  { shown, question }: RememberedDialogs & { question: Question | null },
  first: Question,
  { drawn, called }: Verdict,
  evidence: Evidence,
): ShownDialog {
  const told = called === null ? null : first.id;
  const known = told === null ? undefined : shown.findLast((one) => one.call === told);
  // The request of this call was answered, so the dialog belongs to another call, whose hook has not been read.
  const isAnswered = known?.isAsked === true && called?.isAsked === false;
  const [call, ofCall] = isAnswered ? [null, undefined] : [told, known];
  const announcedAt = call === null ? null : (called?.at ?? null);
  const alike = shown.filter((one) => isSameDrawing(one, drawn, { announcedAt, evidence }));
  const seen = alike.at(-1) ?? halfDrawn(shown, question, first);
  const now = { call, drawn: drawn ?? ofCall?.drawn ?? null, isAsked: call !== null && called?.isAsked === true };
  // Until a hook has named its call, one dialog may have been taken for several.
  const unnamed = seen?.call === null ? [...alike.filter((one) => one.call === null), seen] : [];
  const same = [...unnamed, ...(ofCall === undefined ? [] : [ofCall])];
  const [id, ...also] = new Set(same.flatMap((one) => [one.id, ...one.also]));
  if (id !== undefined) return { ...now, id, also };
  if (seen !== undefined && call === null && isOpen(seen, evidence)) return { ...seen, drawn };
  const own = call ?? (drawn === null ? first.id : drawnIdentity(drawn));
  return { ...now, id: call === null && seen !== undefined ? fingerprint([own, seen.id]) : own, also: [] };
}

/**
 * Reports whether the screen still shows the dialog that it showed then. A restarted server does not know when the
 * dialog was drawn. It is the same one if its call was announced before that, and nothing has ended since.
 */
function isSameDrawing(
  { call, drawn: then, redrawnAt }: ShownDialog,
  now: DrawnDialog | null,
  { announcedAt, evidence }: { announcedAt: number | null; evidence: Evidence },
): boolean {
  if (then === null || now === null || then.looks !== now.looks) return false;
  if (then.openedAt === now.openedAt) return true;
  if (call !== null || redrawnAt !== now.openedAt) return false;
  if (announcedAt === null || announcedAt > then.openedAt) return false;
  const { hooks, movedMs = 0 } = evidence;
  const ends = [hooks.prompt?.at, hooks.toolEndedAt, hooks.turnEnd?.at, hooks.ended?.at, hooks.started?.at];
  return ends.every((at) => at == null || at - movedMs <= then.openedAt);
}

/**
 * Returns the dialog that was open before, if its options were missing because Claude Code was still drawing it. Until
 * it is complete, its kind is a guess.
 */
function halfDrawn(
  shown: readonly ShownDialog[],
  before: Question | null,
  { text }: Question,
): ShownDialog | undefined {
  if (before === null || before.options.length > 0 || text === '' || before.text !== text) return undefined;
  return shown.findLast(({ id, call }) => call === null && id === before.id);
}

/** Reports whether a dialog's call still waits for an answer, or no hooks are known any more that could tell. */
function isOpen({ call }: ShownDialog, { hooks, movedMs = 0 }: Evidence): boolean {
  if (hooks.lastAt === null) return true;
  const calls = hooks.tools.filter(({ requestedAt }) => requestedAt !== null);
  const ofCalls = calls.map((tool) => callIdentity(dialogKindOf(tool.name), tool, movedMs));
  const ofForms = (hooks.forms ?? []).flatMap(({ id }) => [id, acceptedIdentity(id)]);
  return [...ofCalls, ...ofForms].some((id) => id === call);
}

/** Returns the open question with this id, or with an id under which its dialog was shown before. */
export function questionOf(
  { questions, shown }: RememberedDialogs & { questions: readonly Question[] },
  id: string,
): Question | undefined {
  const dialog = shown.findLast(({ also, call }) => also.includes(id) || call === id);
  return questions.find((question) => question.id === id) ?? questions.find((question) => question.id === dialog?.id);
}

/**
 * Reports whether the question that comes first is the dialog that was shown under this id. It may have another id by
 * now: a restarted server knows a dialog by its call until it has drawn the screen.
 */
export function asksFirst(
  memory: RememberedDialogs & { question: Question | null; questions: readonly Question[] },
  id: string,
): boolean {
  return memory.question !== null && questionOf(memory, id)?.id === memory.question.id;
}
