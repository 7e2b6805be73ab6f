import { type Form, isOpenHere, type Question } from '../../protocol/index.ts';
import { allowedText, defaultText, fieldTitle } from '../../text/form-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { type Editor, EMPTY_EDITOR, edit, editorOf } from '../input/editor.ts';
import type { Hint } from '../mode.ts';
import { selectedSession, shownQuestion } from '../model.ts';
import { wrap } from '../view/cells.ts';
import { formLines, TEXT_INDENT, textWidth } from '../view/form-lines.ts';
import { type Binding, keysOf } from './binding.ts';
import { reply } from './reply.ts';

/** Reports whether a question is a form whose fields can be filled in here. */
export const isFillable = (question: Question | null): question is Question & { form: Form } =>
  question?.form !== undefined && isOpenHere(question.form) && question.form.fields.length > 0;

/**
 * Opens a page with the fields of an MCP server's form, filled with their defaults. The server of CBOS checks the
 * values, so a wrong one is reported with what its field takes, and the page stays open.
 */
export function fillForm(
  app: App,
  asked: { slug: string; question: Question & { form: Form } },
  onLeave: () => void,
): void {
  const { slug, question } = asked;
  const { fields } = question.form;
  const editors: Editor[] = fields.map((field) => editorOf(defaultText(field) ?? ''));
  let here = 0;
  const move = (step: number): void => {
    here = (here + step + fields.length) % fields.length;
  };
  const submit = (): void => {
    const written = fields.flatMap(({ name }, index): [string, string][] => {
      const text = editors[index]?.text ?? '';
      // A field that is empty counts as not set.
      return text === '' ? [] : [[name, text]];
    });
    const body = { values: Object.fromEntries(written), question_id: question.id };
    app.run(async () => {
      await app.client.call('answer', { params: { slug }, body });
      onLeave();
      app.toast('good', `${slug} was answered: the form was accepted`);
    });
  };
  const keys: Binding[] = [
    { keys: ['enter'], does: 'accept', run: submit },
    { keys: ['down', 'up', 'tab'], label: '↑/↓', does: 'field', run: (_, key) => move(key === 'up' ? -1 : 1) },
    { keys: ['escape', 'ctrl+c'], does: 'leave', run: onLeave },
  ];
  app.open({
    ...keysOf(app, keys, (event) => {
      editors[here] = edit(editors[here] ?? EMPTY_EDITOR, event) ?? editors[here] ?? EMPTY_EDITOR;
    }),
    page(cols, rows) {
      const width = textWidth(cols);
      const shown = fields.map((field, index) => {
        const about = [field.required ? 'required' : '', allowedText(field), cleanLine(field.description ?? '')];
        const below = wrap(about.filter((part) => part !== '').join('; '), width);
        const lines = below.map((row) => app.dress('dim', `${TEXT_INDENT}${row}`));
        const editor = editors[index] ?? EMPTY_EDITOR;
        return {
          name: fieldTitle(field),
          isHere: index === here,
          content: { kind: 'text' as const, editor, below: lines },
        };
      });
      const { lines, cursor } = formLines(app.dress, shown, cols);
      // The field with the cursor stays on the page, however long the form is.
      const top = Math.max(0, (cursor?.row ?? 0) - rows + 3);
      const title = `${cleanLine(slug)}: ${cleanLine(question.text)}`;
      return { title, rows: lines.slice(top, top + rows), cursor: cursor && { ...cursor, row: cursor.row - top } };
    },
  });
}

/** Returns the keys that answer a form, other than the numbers of its options. */
export function formHints(question: Question): Hint[] {
  const isAcceptable = question.options.some(({ means }) => means === 'yes');
  return [...(isAcceptable ? ([['y', 'accept']] as Hint[]) : []), ['n', 'decline']];
}

/** Opens the fields if the selected session asks to fill in a form, or otherwise the input for a text. */
export function replyOrFill(app: App): void {
  const session = selectedSession(app.model);
  const question = shownQuestion(app.model);
  if (session !== null && isFillable(question)) fillForm(app, { slug: session.slug, question }, () => app.close());
  else reply(app);
}
