import type { Question } from '../../protocol/index.ts';
import { squeeze } from './asked-call.ts';
import type { HookEvidence, HookForm, Verdict } from './evidence.ts';
import { fingerprint } from './fingerprint.ts';
import { formEvidence, formQuestion, isToolOf } from './form-question.ts';
import { isTurnRunning } from './hooks/hooks.ts';
import type { Millis } from './millis.ts';
import { drawnIdentity } from './question.ts';
import type { ScreenDialog } from './screen/screen-evidence.ts';

/**
 * Adds the forms whose hooks wait for a reply. While such a hook runs, Claude Code shows no dialog for its form, and
 * the turn looks as if it ran, or is over: a server may have given up, and Claude Code does not end the hook of a turn
 * that was interrupted (2.1.330).
 */
export function withWaitingForms(verdict: Verdict, { forms = [] }: HookEvidence): Verdict {
  const waiting = forms.filter(({ wait }) => wait !== undefined);
  const [first] = waiting;
  if (first === undefined) return verdict;
  const isLeft = verdict.primary === 'idle' || verdict.question?.kind === 'closing';
  const questions = waiting.map((form) =>
    formQuestion(isLeft ? { ...form, form: { ...form.form, left: true } } : form),
  );
  const shown = verdict.questions.filter(({ kind }) => kind !== 'closing');
  if (shown.length > 0) return { ...verdict, questions: [...shown, ...questions] };
  return {
    ...verdict,
    primary: 'waiting',
    detail: 'question',
    because: { source: 'hook', rule: 'hook.Elicitation', evidence: formEvidence(first) },
    question: questions[0] ?? null,
    questions,
    wait: null,
  };
}

/**
 * Returns the forms whose dialogs Claude Code shows in the terminal after the open dialog has been answered: their
 * hooks have ended without an answer, and calls of their servers still run. A form that is older than the dialog may
 * have been answered there.
 */
export function formsBehind(shownAt: Millis, { forms = [], tools }: HookEvidence): Question[] {
  return forms
    .filter(({ askedAt, form }) => {
      const isAsking = tools.some(({ name }) => isToolOf(form.server, name));
      return form.at_terminal === true && askedAt > shownAt && isAsking;
    })
    .map((form) => ({ ...formQuestion(form), behind: true }));
}

/**
 * Returns the question of the form that the terminal shows, and its identity by what the screen shows. The fields are
 * known if a hook has reported them.
 */
export function drawnForm(
  dialog: ScreenDialog,
  hooks: HookEvidence,
  { openedAt, movedMs }: { openedAt: Millis; movedMs: number },
): (Pick<Verdict, 'drawn' | 'called'> & { question: Question }) | null {
  if (dialog.form === undefined) return null;
  const { server, mode, accepted } = dialog.form;
  const shown = dialog.parts[0]?.text ?? '';
  const known = hooks.forms?.findLast(
    (form) => form.form.mode === mode && (server === null || (form.form.server === server && isStartOf(shown, form))),
  );
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
  return { question, drawn, called: known === undefined ? null : { at: known.askedAt - movedMs, isAsked: true } };
}

/** Returns the identity of the dialog that waits for a server after the form with this identity was accepted. */
export const acceptedIdentity = (id: string): string => fingerprint(['accepted', id]);

/** The screen shows the first paragraph of a message, and wraps it. */
const isStartOf = (shown: string, { message }: HookForm): boolean => squeeze(message).startsWith(squeeze(shown));
