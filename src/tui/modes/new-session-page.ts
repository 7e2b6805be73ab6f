import type { SessionType } from '../../protocol/index.ts';
import { displayWidth } from '../../text/display-width.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { layoutEditor } from '../input/editor.ts';
import { fitTo } from '../view/cells.ts';
import type { Page } from './mode.ts';
import {
  type Choice,
  type Form,
  fieldsOf,
  isChoice,
  MOST_OFFERED,
  offeredIn,
  usedWorktree,
} from './new-session-fields.ts';

const LABEL_CELLS = 10;

const ABOUT_TYPES: Readonly<Record<SessionType, string>> = {
  screen: 'interactive Claude Code in GNU Screen',
  json: 'structured events, without a terminal',
};

function choiceWords(form: Form, field: Choice): [word: string, about: string] {
  const { type, inWorktree } = form;
  if (field === 'type') return [type, ABOUT_TYPES[type]];
  const used = usedWorktree(form);
  if (used !== null) return ['yes', `the existing worktree ${cleanLine(used.path)}`];
  return inWorktree
    ? ['yes', 'a new git worktree, on this branch; empty: named after the session']
    : ['no', 'it works in the folder itself'];
}

/** Draws the form for a new session. */
export function formPage(app: App, form: Form, { cols, rows }: { cols: number; rows: number }): Page {
  const { dress } = app;
  const width = Math.max(10, cols - LABEL_CELLS - 5);
  const lines: string[] = [''];
  let cursor: { row: number; col: number } | null = null;
  for (const field of fieldsOf(form)) {
    const isHere = form.field === field;
    const label = dress(isHere ? 'bold' : 'dim', `${isHere ? '▌' : ' '} ${fitTo(field, LABEL_CELLS)}`);
    if (isChoice(field)) {
      const [word, about] = choiceWords(form, field);
      lines.push(
        `${label} ${dress(isHere ? 'inverse' : null, word)}  ${dress('dim', fitTo(about, width - 10).trimEnd())}`,
      );
      continue;
    }
    const { rows: written, cursor: at } = layoutEditor(form.texts[field], width);
    if (isHere) cursor = { row: lines.length + at.row, col: LABEL_CELLS + 3 + at.col };
    for (const [index, row] of written.entries()) {
      lines.push(`${index === 0 ? label : ' '.repeat(LABEL_CELLS + 2)} ${row}`);
    }
    if (field === 'folder' && isHere && form.isProposed) {
      lines.splice(lines.length - written.length, written.length, `${label} ${dress('inverse', written.join(''))}`);
    }
    if (isHere) {
      const offered = offeredLines(offeredIn(form), width);
      lines.push(...offered.map((row, index) => dress(index === form.chosen ? 'inverse' : 'dim', row)));
    }
  }
  return { title: 'A new session', rows: lines.slice(0, rows), cursor };
}

function offeredLines(offered: readonly string[], width: number): string[] {
  const indent = ' '.repeat(LABEL_CELLS + 3);
  const shown = offered.slice(0, MOST_OFFERED).map((one) => `${indent}${fitTo(cleanLine(one), width).trimEnd()}`);
  const more = offered.length - shown.length;
  return more > 0 ? [...shown, `${indent}… ${more} more`] : shown.filter((row) => displayWidth(row) > 0);
}
