import { isShownForm } from './asked-forms.ts';
import type { HookEvidence } from './evidence.ts';
import type { HookForm } from './form-evidence.ts';
import { queuedForms } from './hooks/form-hook.ts';
import type { Millis } from './millis.ts';
import { clearedAt } from './screen/screen.ts';
import type { ScreenEvidence } from './screen/screen-evidence.ts';

/**
 * Records what only the screen shows about the forms in the terminal: that no dialog waits any more, or that the dialog
 * of a form is open that CBOS took for closed. The screen can be lost, and this record outlives it.
 * @returns the same evidence if the screen shows nothing new
 */
export function seeForms(hooks: HookEvidence, screen: ScreenEvidence | null, now: Millis): HookEvidence {
  if (screen === null || hooks.forms === undefined) return hooks;
  const ended = withoutUnshown(hooks.forms, clearedAt(screen, now));
  const forms = withReopened(ended, screen);
  return forms === hooks.forms ? hooks : { ...hooks, forms };
}

function withoutUnshown(forms: readonly HookForm[], until: Millis | null): readonly HookForm[] {
  const isUnshown = ({ queuedAt = 0 }: HookForm): boolean => until !== null && queuedAt <= until;
  const unshown = queuedForms(forms).filter(isUnshown);
  if (until === null || unshown.length === 0) return forms;
  return forms.map((form) => (unshown.includes(form) ? { ...form, endedAt: until, supposed: 'unshown' } : form));
}

/** Opens the form again whose dialog is on the screen, unless another form may be the one that is drawn. */
function withReopened(forms: readonly HookForm[], { reading, readingSince }: ScreenEvidence): readonly HookForm[] {
  const { dialog } = reading;
  if (dialog?.form === undefined || dialog.form.accepted === true || !dialog.isWhole) return forms;
  const shown = forms.filter((form) => form.wait === undefined && isShownForm(form, dialog));
  // The dialog of a form that has just been closed stays on the screen for a moment.
  if (shown.some(({ endedAt }) => endedAt === undefined || endedAt >= readingSince)) return forms;
  const closed = shown.find(({ supposed, toldAt }) => supposed !== undefined && toldAt === undefined);
  if (closed === undefined) return forms;
  const { endedAt: _, supposed: __, ...form } = closed;
  const open: HookForm = { ...form, form: { ...form.form, at_terminal: true }, queuedAt: readingSince };
  return forms.map((one) => (one === closed ? open : one));
}
