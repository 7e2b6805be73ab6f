import type { Question } from '../../protocol/index.ts';
import { earliest } from './arbitrate/arbitration.ts';
import { DIALOG_LAG_MS } from './arbitrate/races.ts';
import { squeeze } from './asked-call.ts';
import type { HookEvidence, Verdict } from './evidence.ts';
import { fingerprint } from './fingerprint.ts';
import type { HookForm } from './form-evidence.ts';
import { formEvidence, formQuestion } from './form-question.ts';
import { queuedForms } from './hooks/form-hook.ts';
import { isTurnRunning } from './hooks/hooks.ts';
import type { Millis } from './millis.ts';
import { drawnIdentity } from './question.ts';
import { clearedAt } from './screen/screen.ts';
import type { ScreenDialog, ScreenEvidence } from './screen/screen-evidence.ts';

/** The forms in the terminal that Claude Code has neither closed nor failed to show, in the order of their dialogs. */
export interface FormQueue {
  forms: readonly HookForm[];
  /** when a form turns out to be gone if no dialog is drawn until then, or null if a dialog is open */
  goneAt: Millis | null;
}

/**
 * Returns the forms whose dialogs Claude Code shows, or will show as soon as no other dialog is open (2.1.330). It
 * shows a dialog also after the call and the turn in which the server asked, unless the server has cancelled its
 * request. A hook reports each end. In case that hook is lost, a prompt that stays visible shows that no dialog waits.
 */
export function formQueue({ forms = [] }: HookEvidence, screen: ScreenEvidence | null, now: Millis): FormQueue {
  const shownUntil = (screen && clearedAt(screen, now)) ?? Number.NEGATIVE_INFINITY;
  const queued = queuedForms(forms).filter(({ queuedAt = 0 }) => queuedAt > shownUntil);
  const [first] = queued;
  if (first === undefined || screen?.clearSince == null) return { forms: queued, goneAt: null };
  return { forms: queued, goneAt: Math.max(screen.clearSince, first.queuedAt ?? 0) + DIALOG_LAG_MS };
}

/**
 * Adds the forms whose hooks wait for a reply, and the form whose dialog Claude Code is about to draw. While such a
 * hook runs, Claude Code shows no dialog for its form, and the turn looks as if it ran, or is over: a server may have
 * given up, and Claude Code does not end the hook of a turn that was interrupted (2.1.330).
 */
export function withForms(verdict: Verdict, { forms = [] }: HookEvidence, queue: FormQueue): Verdict {
  const shown = verdict.questions.filter(({ kind }) => kind !== 'closing');
  const isLeft = verdict.primary === 'idle' || verdict.question?.kind === 'closing';
  const asked = (form: HookForm): Question =>
    formQuestion(isLeft ? { ...form, form: { ...form.form, left: true } } : form);
  const waiting = forms.filter(({ wait }) => wait !== undefined);
  if (shown.length > 0) return { ...verdict, questions: inOrder([...shown, ...waiting.map(asked)]) };
  const [first] = [...queue.forms, ...waiting];
  if (first === undefined) return verdict;
  const behind = queue.forms.slice(1).map((form) => asBehind(asked(form)));
  const questions = inOrder([...queue.forms.slice(0, 1).map(asked), ...behind, ...waiting.map(asked)]);
  return {
    ...verdict,
    primary: 'waiting',
    detail: 'question',
    because: { source: 'hook', rule: 'hook.Elicitation', evidence: formEvidence(first) },
    question: questions[0] ?? null,
    questions,
    wait: null,
    recheckAt: earliest(verdict.recheckAt, queue.goneAt),
  };
}

/** The open dialog, or the request that is answered first, is the first question. The others follow, oldest first. */
const inOrder = ([first, ...others]: readonly Question[]): Question[] =>
  first === undefined ? [] : [first, ...others.sort((a, b) => Date.parse(a.asked_at) - Date.parse(b.asked_at))];

/** Returns the forms whose dialogs Claude Code shows in the terminal after the open dialog has been answered. */
export function formsBehind(queue: FormQueue, drawn: DrawnQuestion | null): Question[] {
  const others = queue.forms.filter(({ id }) => id !== drawn?.known?.id);
  const left = drawn?.isTakenForClosed === true ? withoutOneOf(drawn.known, others) : others;
  return left.map((form) => asBehind(formQuestion(form)));
}

const asBehind = (question: Question): Question => ({ ...question, behind: true });

/** Leaves out the oldest form of the same server. */
function withoutOneOf(known: HookForm | null, forms: readonly HookForm[]): readonly HookForm[] {
  const index = forms.findIndex(({ form }) => form.server === known?.form.server);
  return index < 0 ? forms : forms.toSpliced(index, 1);
}

/** The question of a form that the terminal shows, and its identity by what the screen shows. */
export interface DrawnQuestion extends Pick<Verdict, 'drawn' | 'called'> {
  question: Question;
  /** the form that a hook has reported, or null if no hook has */
  known: HookForm | null;
  /**
   * whether the dialog was drawn after its form had been taken for closed. Claude Code reports only whose form it has
   * closed, so it was another form of this server
   */
  isTakenForClosed: boolean;
}

/** Returns the question of the form that the terminal shows. Its fields are known if a hook has reported them. */
export function drawnForm(
  dialog: ScreenDialog,
  hooks: HookEvidence,
  { openedAt, movedMs }: { openedAt: Millis; movedMs: number },
): DrawnQuestion | null {
  if (dialog.form === undefined) return null;
  const { server, mode, accepted } = dialog.form;
  const shown = dialog.parts[0]?.text ?? '';
  const { forms = [] } = hooks;
  const isShown = (form: HookForm): boolean => isShownForm(form, dialog);
  const known = queuedForms(forms).find(isShown) ?? forms.findLast(isShown);
  const name = known?.form.server ?? server ?? 'unknown';
  const looks = fingerprint(['form', server ?? 'unknown', shown, ...(accepted === true ? ['accepted'] : [])]);
  const drawn = { looks, openedAt: openedAt - movedMs };
  // The server has its answer, so an answer to the form must not reach the dialog that waits for the server.
  const knownId = known === undefined || accepted !== true ? known?.id : acceptedIdentity(known.id);
  const isLeft = accepted !== true && hooks.turnEnd !== null && !isTurnRunning(hooks);
  const question = formQuestion({
    id: knownId ?? drawnIdentity(drawn),
    message: known?.message ?? shown,
    form: {
      ...(known?.form ?? { mode, server: name, fields: [] }),
      at_terminal: true,
      ...(accepted === true ? { accepted } : {}),
      ...(isLeft ? { left: true } : {}),
    },
    askedAt: known?.askedAt ?? openedAt,
  });
  const isTakenForClosed = accepted !== true && known?.endedAt !== undefined && openedAt > known.endedAt;
  const called = known === undefined ? null : { at: known.askedAt - movedMs, isAsked: true };
  return { question, drawn, called, known: known ?? null, isTakenForClosed };
}

/** Returns the identity of the dialog that waits for a server after the form with this identity was accepted. */
export const acceptedIdentity = (id: string): string => fingerprint(['accepted', id]);

/** Reports whether a dialog may be that of a form. A dialog that is taller than the window shows only its keys. */
export function isShownForm(known: HookForm, { form, parts }: ScreenDialog): boolean {
  if (form === undefined || known.form.mode !== form.mode) return false;
  return form.server === null || (known.form.server === form.server && isStartOf(parts[0]?.text ?? '', known));
}

/** The screen shows the first paragraph of a message, and wraps it. */
const isStartOf = (shown: string, { message }: HookForm): boolean => squeeze(message).startsWith(squeeze(shown));
