import { readElicitation } from '../../forms/index.ts';
import type { HookEvent, HookEvidence } from '../evidence.ts';
import { fingerprint } from '../fingerprint.ts';
import { askingCalls, type HookForm } from '../form-evidence.ts';

/** How many forms are remembered. A form that was closed is only needed to recognize its dialog. */
const MAX_FORMS = 16;

/** Records a form that an MCP server asks the user to fill in. Its dialog opens once the hook has ended (2.1.330). */
export function onElicitation(hooks: HookEvidence, event: HookEvent): HookEvidence {
  const read = readElicitation(event.payload);
  const { forms = [] } = hooks;
  const wait = event.wait ?? null;
  const id = fingerprint(['form', wait ?? String(event.at), read?.form.server ?? '']);
  if (read === null || forms.some((form) => form.id === id)) return hooks;
  const asked = { id, ...read, askedAt: event.at, ...askingCalls(read.form.server, hooks.tools) };
  const form: HookForm =
    wait === null ? { ...asked, form: { ...read.form, at_terminal: true }, queuedAt: event.at } : { ...asked, wait };
  return { ...hooks, forms: [...forms, form].slice(-MAX_FORMS) };
}

/** Records that the dialog of a form was closed. Claude Code shows the forms of a server in order. */
export function onElicitationResult(hooks: HookEvidence, { at, payload }: HookEvent): HookEvidence {
  const { mcp_server_name: server, mode } = payload;
  const { forms = [] } = hooks;
  if (typeof server !== 'string' || forms.some(({ endedAt }) => endedAt === at)) return hooks;
  const closable = [...queuedForms(forms), ...forms.filter(({ supposed }) => supposed !== undefined)];
  const open = closable.filter(({ form, askedAt, toldAt, endedAt }) => {
    const isUntold = endedAt === undefined || toldAt === undefined;
    return form.server === server && askedAt <= at && isUntold;
  });
  return change(hooks, open.find(({ form }) => form.mode === mode) ?? open[0], { endedAt: at });
}

/** Matches the message of the notification that follows the end of a form that no hook has answered (2.1.330). */
const FORM_ENDED = /^Elicitation response for server "(.*)": \w+$/s;

/** Returns the server of the form whose end a notification reports, or undefined if it reports none. */
export const endedFormOf = ({ message }: HookEvent['payload']): string | undefined =>
  FORM_ENDED.exec(String(message))?.[1];

/**
 * Records that Claude Code has sent a server the answer to a form. The notification is the only report of a form that
 * its server has cancelled. If several forms of the server are open, nothing tells which of them it was.
 */
export function onFormEnded(hooks: HookEvidence, { at, payload }: HookEvent): HookEvidence {
  const server = endedFormOf(payload);
  const { forms = [] } = hooks;
  if (server === undefined || forms.some(({ toldAt }) => toldAt === at)) return hooks;
  const untold = forms.filter((form) => form.form.server === server && form.toldAt === undefined && form.askedAt <= at);
  // The report about a form that no screen showed was lost, so the notification is about another form if there is one.
  const likely = untold.filter(({ supposed }) => supposed !== 'unshown');
  const closed = likely.find(({ endedAt }) => endedAt !== undefined);
  const newest = queuedForms(likely).at(-1);
  if (closed !== undefined || newest === undefined) {
    return change(hooks, closed ?? likely[0] ?? untold[0], { toldAt: at });
  }
  return change(hooks, newest, { endedAt: at, toldAt: at });
}

/** Returns the forms whose dialogs Claude Code shows, or will show, in the order of the dialogs. */
export function queuedForms(forms: readonly HookForm[]): HookForm[] {
  const queued = forms.flatMap((form) => (form.endedAt === undefined ? { form, at: form.queuedAt ?? null } : []));
  return queued
    .filter((one): one is { form: HookForm; at: number } => one.at !== null)
    .sort((one, other) => one.at - other.at)
    .map(({ form }) => form);
}

function change(hooks: HookEvidence, form: HookForm | undefined, more: Partial<HookForm>): HookEvidence {
  const { forms = [] } = hooks;
  if (form === undefined) return hooks;
  const { supposed: _, ...known } = form;
  return { ...hooks, forms: forms.with(forms.indexOf(form), { ...known, ...more }) };
}
