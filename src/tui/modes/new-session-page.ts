import type { SessionType } from '../../protocol/index.ts';
import { displayWidth } from '../../text/display-width.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import type { Page } from '../mode.ts';
import { fitTo } from '../view/cells.ts';
import { type FormField, formLines, TEXT_INDENT, textWidth } from '../view/form-lines.ts';
import {
  type Choice,
  type Form,
  fieldsOf,
  isChoice,
  MOST_OFFERED,
  offeredIn,
  usedWorktree,
} from './new-session-fields.ts';

const ABOUT_TYPES: Readonly<Record<SessionType, string>> = {
  screen: 'interactive Claude Code in GNU Screen',
  json: 'structured events, without a terminal',
};

function choiceWords(form: Form, field: Choice): [word: string, about: string] {
  const { type, inWorktree, times } = form;
  if (field === 'type') return [type, ABOUT_TYPES[type]];
  if (field === 'times') {
    const name = form.texts.name.text.trim() || 'NAME';
    return [String(times), times === 1 ? 'one session' : `the same task for ${name}-1 to ${name}-${times}`];
  }
  const used = usedWorktree(form);
  if (used !== null) return ['yes', `the existing worktree ${cleanLine(used.path)}`];
  return inWorktree
    ? ['yes', 'a new git worktree, on this branch; empty: named after the session']
    : ['no', 'the session works in the folder itself'];
}

/** Draws the form for a new session. */
export function formPage({ dress }: App, form: Form, { cols, rows }: { cols: number; rows: number }): Page {
  const fields = fieldsOf(form).map((name): FormField => {
    const isHere = form.field === name;
    if (isChoice(name)) {
      const [word, about] = choiceWords(form, name);
      return { name, isHere, content: { kind: 'choice', word, about } };
    }
    const isProposed = isHere && name === 'folder' && form.isProposed;
    const offered = isHere ? offeredLines(offeredIn(form), textWidth(cols)) : [];
    const below = offered.map((row, index) => dress(index === form.chosen ? 'inverse' : 'dim', row));
    return { name, isHere, content: { kind: 'text', editor: form.texts[name], isProposed, below } };
  });
  const { lines, cursor } = formLines(dress, fields, cols);
  return { title: 'A new session', rows: lines.slice(0, rows), cursor };
}

function offeredLines(offered: readonly string[], width: number): string[] {
  const shown = offered.slice(0, MOST_OFFERED).map((one) => `${TEXT_INDENT}${fitTo(cleanLine(one), width).trimEnd()}`);
  const more = offered.length - shown.length;
  return more > 0 ? [...shown, `${TEXT_INDENT}… ${more} more`] : shown.filter((row) => displayWidth(row) > 0);
}
