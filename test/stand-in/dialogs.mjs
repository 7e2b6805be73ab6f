// The dialogs. Each draws its rows and reads keys until it has an answer.
import { homedir } from 'node:os';
import { relative } from 'node:path';
import { dim, recordedRow, recordedRows, wrap } from './screen.mjs';

/** @typedef {import('./engine.mjs').Decision} Decision */
/** @typedef {import('./keys.mjs').Key} Key */
/** @typedef {{ rows: string[], cursor: { row: number, col: number } }} Drawn */

const rule = (/** @type {number} */ cols, mark = '─') => mark.repeat(cols);
export const shortPath = (/** @type {string} */ path) => path.replace(homedir(), '~');
/** @type {Decision} */
const REFUSED = { behavior: 'deny', ends: true, by: 'user' };

/** A dialog with numbered options. An option may take the user's own words. */
export class PermissionDialog {
  #chosen = 0;
  /** @type {string | null} the words beside the chosen option, while they are typed */
  #words = null;

  /** @param {{ name: string, input: any, cwd: string, suggestions: any[], cols: () => number }} asked */
  constructor({ name, input, cwd, suggestions, cols }) {
    this.name = name;
    this.input = input;
    this.cwd = cwd;
    this.cols = cols;
    const always = alwaysLabel(suggestions);
    this.isRule = suggestions[0]?.type === 'addRules';
    /** @type {{ label: string, withWords: string, decision: Decision }[]} */
    this.options = [
      { label: recordedRow('yes'), withWords: 'Yes, and tell Claude what to do next', decision: { behavior: 'allow' } },
      ...(always === null
        ? []
        : [
            {
              label: always,
              withWords: '',
              decision: { behavior: /** @type {const} */ ('allow'), updates: suggestions.slice(0, 1) },
            },
          ]),
      { label: recordedRow('no'), withWords: 'No, and tell Claude what to do differently', decision: REFUSED },
    ];
  }

  /** @returns {Drawn} */
  draw() {
    const cols = this.cols();
    const above = [rule(cols), ...this.#about(cols)];
    /** @type {string[]} */
    const options = [];
    let cursor = { row: 0, col: 1 };
    for (const [at, option] of this.options.entries()) {
      const mark = at === this.#chosen ? ' ❯ ' : '   ';
      const label = at === this.#chosen && this.#words !== null ? withWords(option, this.#words) : option.label;
      const rows = wrap(label, cols - 7).map((row, index) =>
        index === 0 ? `${mark}${at + 1}. ${row}` : `      ${row}`,
      );
      if (at === this.#chosen) cursor = { row: above.length + options.length, col: this.#cursorCol(option) };
      options.push(...rows);
    }
    const hint = this.#words === null ? recordedRow('dialogHint') : ' Esc to cancel';
    return { rows: [...above, ...options, '', hint], cursor };
  }

  /** @param {{ label: string }} option */
  #cursorCol({ label }) {
    if (this.#words === null) return 1;
    return this.#words === '' ? 6 + label.length + 2 : 6 + withWords({ label, withWords: '' }, this.#words).length;
  }

  /** @param {number} cols */
  #about(cols) {
    const { name, input, cwd } = this;
    const dots = rule(cols, '╌');
    if (name === 'Bash') {
      const command = wrap(input.command, cols - 2).map((row) => ` ${row}`);
      const [title = '', about = ''] = recordedRows('permission', { description: input.description ?? '' });
      const described = input.description === undefined ? [] : [about];
      const why = this.isRule ? [' This command requires approval', ''] : [];
      return [title, ...described, dots, ...command, dots, ...why, recordedRow('proceed')];
    }
    const file = relative(cwd, input.file_path ?? '');
    const lines = String(input.content ?? input.new_string ?? '')
      .replace(/\n$/, '')
      .split('\n')
      .map((line, at) => `  ${at + 1} ${line}`);
    const title = name === 'Write' ? recordedRows('createFile', { name: file }) : [` ${name}`, ` ${file}`];
    const question = name === 'Write' ? recordedRow('mayCreate', { name: file }) : recordedRow('proceed');
    return [...title, dots, ...lines, dots, question];
  }

  /** @param {Key} key @returns {Decision | null} */
  read(key) {
    if (this.#words !== null) return this.#readWords(key);
    if (key.kind === 'text') {
      for (const character of key.text) {
        const option = this.options[Number(character) - 1];
        if (option !== undefined) return option.decision;
      }
      return null;
    }
    if (key.kind === 'paste') return null;
    if (key.name === 'up') this.#chosen = Math.max(0, this.#chosen - 1);
    else if (key.name === 'down') this.#chosen = Math.min(this.options.length - 1, this.#chosen + 1);
    else if (key.name === 'tab' && this.options[this.#chosen]?.withWords !== '') this.#words = '';
    else if (key.name === 'enter') return this.options[this.#chosen]?.decision ?? null;
    else if (key.name === 'escape' || key.name === 'ctrl+c') return REFUSED;
    else if (key.name === 'shift+tab')
      return this.options.find(({ decision }) => 'updates' in decision)?.decision ?? null;
    return null;
  }

  /** @param {Key} key @returns {Decision | null} */
  #readWords(key) {
    const words = this.#words ?? '';
    if (key.kind !== 'key') this.#words = words + key.text;
    else if (key.name === 'backspace') this.#words = words.slice(0, -1);
    else if (key.name === 'escape') return REFUSED;
    else if (key.name === 'tab' || key.name === 'up' || key.name === 'down') this.#words = null;
    else if (key.name === 'enter') {
      const decision = this.options[this.#chosen]?.decision ?? REFUSED;
      if (words === '') return decision;
      return decision.behavior === 'allow' ? decision : { behavior: 'deny', by: 'user', message: words };
    }
    return null;
  }
}

/** @param {{ label: string, withWords: string }} option @param {string} words */
const withWords = ({ label, withWords: hint }, words) => (words === '' ? hint : `${label}, ${words}`);

/** @param {any[]} suggestions */
function alwaysLabel(suggestions) {
  const [first] = suggestions;
  if (first === undefined) return null;
  if (first.type === 'addDirectories') return recordedRow('alwaysDirectory', { directory: first.directories[0] });
  if (first.type === 'setMode') return recordedRow('alwaysEdits');
  const rule = String(first.rules[0].ruleContent ?? first.rules[0].toolName);
  return recordedRow('alwaysRule', { rule });
}

/** Questions with options, each on a tab of its own, and one for the review. */
export class QuestionDialog {
  #tab = 0;
  #chosen = 0;
  /** @type {Set<string>[]} */
  #answers;
  /** @type {string[]} */
  #words;

  /** @param {{ input: any, cols: () => number }} asked */
  constructor({ input, cols }) {
    this.input = input;
    this.questions = input.questions;
    this.cols = cols;
    this.#answers = this.questions.map(() => new Set());
    this.#words = this.questions.map(() => '');
    this.isAlone = this.questions.length === 1 && this.questions[0].multiSelect !== true;
  }

  get #question() {
    return this.questions[this.#tab];
  }

  /** How many rows can be chosen: the options, the user's own words, "Submit" of several, and the chat. */
  get #last() {
    if (this.#question === undefined) return 1;
    return this.#question.options.length + (this.#question.multiSelect ? 2 : 1);
  }

  /** @returns {Drawn} */
  draw() {
    const cols = this.cols();
    if (this.#question === undefined) return this.#drawReview(cols);
    const { question, options, multiSelect } = this.#question;
    const rows = [rule(cols), this.#tabs(), '', ...wrap(question, cols - 1), ''];
    let cursor = { row: rows.length, col: 0 };
    const add = (/** @type {number} */ at, /** @type {string} */ label, /** @type {string[]} */ more = []) => {
      const isChosen = at === this.#chosen;
      if (isChosen) cursor = { row: rows.length, col: 0 };
      rows.push(`${isChosen ? '❯' : ' '} ${label}`, ...more);
    };
    const answers = this.#answers[this.#tab] ?? new Set();
    for (const [at, option] of options.entries()) {
      const box = multiSelect ? `[${answers.has(option.label) ? '✔' : ' '}] ` : '';
      const indent = multiSelect ? '         ' : '     ';
      const about = option.description ? wrap(option.description, cols - indent.length).map((row) => indent + row) : [];
      add(at, `${at + 1}. ${box}${option.label}`, about);
    }
    const words = this.#words[this.#tab] ?? '';
    const own = options.length;
    const hint = multiSelect ? 'Type something' : 'Type something.';
    const isTyping = this.#chosen === own;
    const mark = multiSelect ? `[${words === '' ? ' ' : '✔'}] ` : '';
    add(own, `${own + 1}. ${mark}${words === '' ? (isTyping ? dim(hint) : hint) : words}`);
    if (isTyping) cursor = { row: rows.length - 1, col: 5 + mark.length + words.length };
    if (multiSelect) add(own + 1, `   ${this.#tab === this.questions.length - 1 ? 'Submit' : 'Next'}`);
    rows.push(rule(cols));
    add(this.#last, `${own + 2}. Chat about this`);
    const keys = recordedRow(this.isAlone ? 'questionHint' : 'questionsHint');
    rows.push('', isTyping ? keys.replace(' · Esc', ' · ctrl+g to edit in Vim · Esc') : keys);
    return { rows, cursor };
  }

  #tabs() {
    const boxes = this.questions.map(
      (/** @type {any} */ { header }, /** @type {number} */ at) => `${this.#isAnswered(at) ? '☒' : '☐'} ${header}`,
    );
    return this.isAlone ? ` ☐ ${this.questions[0].header}` : `←  ${boxes.join('  ')}  ✔ Submit  →`;
  }

  /** @param {number} at */
  #isAnswered(at) {
    return (this.#answers[at]?.size ?? 0) > 0 || (this.#words[at] ?? '') !== '';
  }

  /** @param {number} cols */
  #drawReview(cols) {
    const answers = Object.entries(this.#all()).flatMap(([question, answer]) => [` ● ${question}`, `   → ${answer}`]);
    const missing = this.questions.some((/** @type {any} */ _, /** @type {number} */ at) => !this.#isAnswered(at));
    const warning = missing ? ['⚠ You have not answered all questions', ''] : [];
    const rows = ['', rule(cols), this.#tabs(), '', recordedRow('review'), '', ...warning, ...answers, ''];
    const cursor = { row: rows.length + this.#chosen, col: 0 };
    rows.push(
      ...['Submit answers', 'Cancel'].map((label, at) => `${at === this.#chosen ? '❯' : ' '} ${at + 1}. ${label}`),
    );
    return { rows, cursor };
  }

  /** @returns {Record<string, string>} */
  #all() {
    return Object.fromEntries(
      this.questions.flatMap((/** @type {any} */ { question }, /** @type {number} */ at) => {
        const words = this.#words[at] ?? '';
        const answers = [...(this.#answers[at] ?? []), ...(words === '' ? [] : [words])];
        return answers.length === 0 ? [] : [[question, answers.join(', ')]];
      }),
    );
  }

  /** @param {Key} key @returns {Decision | null} */
  read(key) {
    const question = this.#question;
    const isTyping = question !== undefined && this.#chosen === question.options.length;
    if (key.kind === 'key') return this.#readKey(key.name, isTyping);
    if (isTyping) {
      this.#words[this.#tab] += key.text;
      return null;
    }
    for (const character of key.kind === 'text' ? key.text : '') {
      const done = this.#choose(Number(character) - 1);
      if (done !== null) return done;
    }
    return null;
  }

  /** @param {string} name @param {boolean} isTyping @returns {Decision | null} */
  #readKey(name, isTyping) {
    if (name === 'escape' || name === 'ctrl+c') return REFUSED;
    if (name === 'up') this.#chosen = Math.max(0, this.#chosen - 1);
    else if (name === 'down') this.#chosen = Math.min(this.#last, this.#chosen + 1);
    else if (name === 'backspace' && isTyping) this.#words[this.#tab] = (this.#words[this.#tab] ?? '').slice(0, -1);
    else if ((name === 'right' || name === 'tab') && !this.isAlone) this.#go(1);
    else if (name === 'left' && !this.isAlone) this.#go(-1);
    else if (name === 'enter') return isTyping ? this.#next() : this.#choose(this.#chosen);
    return null;
  }

  /** @param {number} by */
  #go(by) {
    this.#tab = Math.min(Math.max(this.#tab + by, 0), this.questions.length);
    this.#chosen = 0;
  }

  /** @returns {Decision | null} */
  #next() {
    if (this.isAlone) return { behavior: 'allow', input: { ...this.input, answers: this.#all(), annotations: {} } };
    this.#go(1);
    return null;
  }

  /** @param {number} at @returns {Decision | null} */
  #choose(at) {
    const question = this.#question;
    if (question === undefined) {
      if (at === 1) return REFUSED;
      return at === 0 ? { behavior: 'allow', input: { ...this.input, answers: this.#all(), annotations: {} } } : null;
    }
    const { options, multiSelect } = question;
    const label = options[at]?.label;
    const answers = this.#answers[this.#tab] ?? new Set();
    if (label === undefined) {
      if (multiSelect && at === options.length + 1 && this.#chosen === at) return this.#next();
      if (at === options.length) this.#chosen = at;
      if (at === options.length + 1) return { behavior: 'deny', by: 'user', message: CHAT };
      return null;
    }
    if (!multiSelect) {
      answers.clear();
      answers.add(label);
      this.#words[this.#tab] = '';
      return this.#next();
    }
    if (!answers.delete(label)) answers.add(label);
    return null;
  }
}

const CHAT = 'The user wants to clarify these questions.';

/** The dialog for a plan, or for the end of plan mode without a plan. */
export class PlanDialog {
  #chosen = 0;
  #words = '';

  /** @param {{ input: any, planFile: string, cols: () => number }} asked */
  constructor({ input, planFile, cols }) {
    this.plan = /** @type {string | undefined} */ (input.plan);
    this.planFile = planFile;
    this.cols = cols;
  }

  get #count() {
    return this.plan === undefined ? 2 : 3;
  }

  /** @returns {Drawn} */
  draw() {
    return this.plan === undefined ? this.#drawEmpty() : this.#drawPlan(this.plan);
  }

  #drawEmpty() {
    const mark = (/** @type {number} */ at) => (at === this.#chosen ? '❯' : ' ');
    const rows = [
      rule(this.cols()),
      ' Exit plan mode?',
      '',
      '  Claude wants to exit plan mode',
      '',
      `  ${mark(0)} 1. Yes, and switch to default (ask each time) for this session`,
      `  ${mark(1)} 2. No`,
    ];
    return { rows, cursor: { row: 5 + this.#chosen, col: 2 } };
  }

  /** @param {string} plan */
  #drawPlan(plan) {
    const cols = this.cols();
    const [ready = '', here = ''] = recordedRows('ready');
    const [may = '', ...options] = recordedRows('mayExecute');
    const lines = plan
      .split('\n')
      .flatMap((line) => wrap(line.replace(/^#+ /, '').replaceAll('`', ''), cols - 2))
      .map((line) => (line === '' ? '' : ` ${line}`));
    const rows = [rule(cols), ready, '', here, rule(cols, '╌'), ...lines, rule(cols, '╌'), '', rule(cols), may, ''];
    const first = rows.length;
    for (const [at, option] of options.entries()) {
      const text = at === 2 && this.#words !== '' ? `   3. ${this.#words}` : option;
      rows.push(at < 3 ? text.replace(/^ [❯ ]/, at === this.#chosen ? ' ❯' : '  ') : text);
    }
    rows.push('', recordedRow('planFile', { file: shortPath(this.planFile) }));
    const isTyping = this.#chosen === 2;
    return { rows, cursor: { row: first + this.#chosen, col: isTyping ? 6 + this.#words.length : 1 } };
  }

  /** @param {Key} key @returns {(Decision & { mode?: string }) | null} */
  read(key) {
    const isTyping = this.plan !== undefined && this.#chosen === 2;
    if (key.kind === 'paste') {
      if (isTyping) this.#words += key.text;
      return null;
    }
    if (key.kind === 'text') {
      if (isTyping) this.#words += key.text;
      else {
        for (const character of key.text) {
          const at = Number(character) - 1;
          if (at >= 0 && at < this.#count) return this.#choose(at);
        }
      }
      return null;
    }
    if (key.name === 'escape' || key.name === 'ctrl+c') return REFUSED;
    if (key.name === 'up') this.#chosen = Math.max(0, this.#chosen - 1);
    else if (key.name === 'down') this.#chosen = Math.min(this.#count - 1, this.#chosen + 1);
    else if (key.name === 'backspace' && isTyping) this.#words = this.#words.slice(0, -1);
    else if (key.name === 'enter') {
      if (!isTyping) return this.#choose(this.#chosen);
      return this.#words === '' ? null : { behavior: 'deny', by: 'user', message: this.#words };
    }
    return null;
  }

  /** @param {number} at @returns {(Decision & { mode?: string }) | null} */
  #choose(at) {
    if (this.plan === undefined) return at === 0 ? { behavior: 'allow', mode: 'default' } : REFUSED;
    if (at === 2) {
      this.#chosen = 2;
      return null;
    }
    return { behavior: 'allow', mode: at === 0 ? 'acceptEdits' : 'default' };
  }
}
