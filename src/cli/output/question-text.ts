import {
  allows,
  type Form,
  isOpenHere,
  openQuestions,
  type Question,
  type QuestionOption,
  type Status,
} from '../../protocol/index.ts';
import { askerText, behindText } from '../../text/asker-words.ts';
import { formLines } from '../../text/form-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { shellQuote, shellWord } from '../../text/shell-word.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { askedCallLines, cutText, reasonLines, saysCall } from '../../text/tool-input-text.ts';

/** The title for each kind of question, shown above the question's own words. */
const KIND_TITLES: Readonly<Record<Question['kind'], string>> = {
  permission: 'asks for permission',
  question: 'asks',
  plan: 'asks you to approve a plan',
  setup: 'needs set-up',
  closing: 'ended its turn with a question',
  form: 'asks you to fill in a form',
};

/**
 * Returns lines with all open questions of a session, oldest first, and the commands that answer each of them.
 * @param before how the user answered each of them in the past, by the question's id
 */
export function openQuestionLines(
  slug: string,
  status: Pick<Status, 'question' | 'questions'>,
  before: ReadonlyMap<string, string> = new Map(),
): string[] {
  const open = openQuestions(status);
  return open.flatMap((question, index) => {
    const memory = before.get(question.id) ?? '';
    return [
      ...(index === 0 ? [] : ['']),
      ...questionLines(slug, question, open.length > 1),
      ...(memory === '' ? [] : ['', `  ${memory}`]),
    ];
  });
}

/**
 * Returns lines with an open question, its numbered options, and the commands that answer it.
 * @param isOneOfSeveral whether the commands must name the question, because others are open as well
 */
export function questionLines(slug: string, question: Question, isOneOfSeveral = false): string[] {
  const lines = [headingOf(cleanLine(slug), question), ''];
  const name = isOneOfSeveral ? `${cleanLine(slug)} --question ${cleanLine(question.id)}` : cleanLine(slug);
  if (question.kind !== 'plan' || !saysCall(question)) {
    lines.push(...askedCallLines(question).map((line) => `  ${line}`));
  }
  lines.push(...reasonLines(question).map((line) => `  ${line}`));
  if (question.cut === true) lines.push(`  ${cutText(`\`cbos attach ${cleanLine(slug)}\``)}`, '');
  if (question.behind === true) return [...lines, ...indented(question.text), '', `  ${behindText(question)}.`];
  if (question.form !== undefined)
    return [...lines, ...indented(question.text), '', ...formPage(name, question.form, question)];
  if (question.questions.length > 1) {
    for (const part of question.questions) {
      lines.push(...indented(part.text), ...optionLines(part.options), '');
    }
    lines.push(...manyAnswers(name, question));
  } else {
    lines.push(...indented(question.text), ...optionLines(question.options), '', ...oneAnswer(name, question));
  }
  return lines;
}

/** Returns what a form asks, and the commands that accept or decline it. */
function formPage(name: string, form: Form, question: Question): string[] {
  const asked = formLines(form).map((line) => `    ${line}`);
  const sets = form.fields
    .filter((field) => field.required && field.default === undefined)
    .map(({ name: field }) => ` --set ${shellWord(cleanLine(field))}=…`)
    .join('');
  const example = form.fields.map(({ name: field }) => ` --set ${shellWord(cleanLine(field))}=…`)[0] ?? '';
  const isOpen = isOpenHere(form);
  const filling: [string, string][] =
    isOpen && form.fields.length > 0
      ? [[`cbos answer ${name}${sets || example}`, sets === '' ? 'fill it in' : 'fill in what is required']]
      : [];
  const chosen = question.options.flatMap(({ label, means }, index): [string, string][] =>
    means === 'no' ? [] : [[`cbos answer ${name} ${index + 1}`, cleanLine(showHiddenMarks(label))]],
  );
  const attach: [string, string][] =
    isOpen || form.call_over === true
      ? []
      : [
          [
            `cbos attach ${name.split(' ')[0]}`,
            form.mode === 'url' ? 'open the address there' : 'fill it in at the terminal',
          ],
        ];
  const close: [string, string] = [`cbos answer ${name} no`, closingWords(form)];
  return [...asked, ...(asked.length === 0 ? [] : ['']), ...commandLines([...attach, ...filling, ...chosen, close])];
}

function closingWords(form: Form): string {
  if (form.accepted === true) return 'stop waiting for the server';
  return form.left === true || !isOpenHere(form) ? 'close it' : 'decline';
}

function commandLines(commands: readonly (readonly [command: string, about: string])[]): string[] {
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, about]) => `  ${command.padEnd(width)}  # ${about}`);
}

function headingOf(name: string, question: Question): string {
  const who = askerText(question);
  const asks = KIND_TITLES[question.kind] ?? 'asks';
  return who === '' ? `${name} ${asks}:` : `${name}: ${who} ${asks}:`;
}

function indented(text: string): string[] {
  return cleanBlock(showHiddenMarks(text))
    .split('\n')
    .map((line) => `  ${line}`.trimEnd());
}

export function optionLines(options: readonly QuestionOption[]): string[] {
  return options.map((option, index) => {
    const about = option.description === null ? '' : ` — ${cleanLine(option.description)}`;
    return `    ${index + 1}. ${cleanLine(showHiddenMarks(option.label))}${about}`;
  });
}

/** Returns the commands that answer a dialog with one question, each with the option that it chooses. */
function oneAnswer(slug: string, question: Question): string[] {
  if (question.kind === 'closing') return [`  cbos send ${slug} 'TEXT'`];
  const commands = question.options.flatMap((option, index): [string, string][] =>
    question.cut === true && allows(option.means)
      ? []
      : [[`cbos answer ${slug} ${index + 1}`, cleanLine(showHiddenMarks(option.label))]],
  );
  if (question.multi && question.options.length > 1) commands.push([`cbos answer ${slug} 1,2`, 'several at once']);
  if (question.kind === 'permission' || question.kind === 'plan') {
    commands.push([`cbos answer ${slug} no --reply 'TEXT'`, 'say no, and tell Claude what to do']);
  }
  if (commands.length === 0) commands.push([`cbos answer ${slug} 'TEXT'`, 'your own answer']);
  return commandLines(commands);
}

/** Returns the command that answers a dialog with several questions: a single JSON object contains all the answers. */
function manyAnswers(slug: string, question: Question): string[] {
  const example = Object.fromEntries(
    question.questions.map((part) => [cleanLine(part.text), cleanLine(part.options[0]?.label ?? 'TEXT')]),
  );
  return [`  cbos answer ${slug} --answers ${shellQuote(JSON.stringify(example))}`];
}
