import { readElicitation } from '../../forms/index.ts';
import type { HookEvent, HookEvidence, HookForm } from '../evidence.ts';
import { fingerprint } from '../fingerprint.ts';

/** How many forms are remembered. A form that was closed is only needed to recognize its dialog. */
const MAX_FORMS = 16;

/** Records a form that an MCP server asks the user to fill in. Its dialog opens once the hook has ended (2.1.330). */
export function onElicitation(hooks: HookEvidence, event: HookEvent): HookEvidence {
  const read = readElicitation(event.payload);
  const { forms = [] } = hooks;
  const wait = event.wait ?? null;
  const id = fingerprint(['form', wait ?? String(event.at), read?.form.server ?? '']);
  if (read === null || forms.some((form) => form.id === id)) return hooks;
  const form: HookForm =
    wait === null
      ? { id, ...read, form: { ...read.form, at_terminal: true }, askedAt: event.at }
      : { id, ...read, askedAt: event.at, wait };
  return { ...hooks, forms: [...forms, form].slice(-MAX_FORMS) };
}
