import type { Rule, RuleBook, RuleFile } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import {
  FILE_STATE_WORDS,
  isRuleOver,
  ORIGIN_WORDS,
  ruleAbout,
  ruleFlaw,
  ruleLeft,
  ruleScope,
} from '../../text/rule-words.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { createList } from '../list.ts';
import { wrap } from '../view/cells.ts';
import { showAudit } from './audit.ts';
import { type Binding, keysOf, leavingBy, movingBy, onChosen } from './binding.ts';
import { confirm } from './confirm.ts';
import { showSuggestions } from './rule-suggestions.ts';
import { showPage } from './text-page.ts';

/**
 * How long to wait after a change before reading the rules again. Changes are frequent, because each decision may
 * reduce the number of times that a rule can still be used.
 */
const GATHER_MS = 250;

const NO_RULES = 'There are no rules: cbos rules add --help';

type Entry = { kind: 'file'; file: RuleFile } | { kind: 'rule'; rule: Rule };

/** Runs `/rules`, which shows the rules that answer on the user's behalf, and the files that they come from. */
export function showRules(app: App): void {
  let book: RuleBook | null = null;
  const load = (): void =>
    app.run(async () => {
      book = await app.client.call('listRules');
      app.changed();
    });
  let isDue = false;
  const loadSoon = (): void => {
    if (isDue) return;
    isDue = true;
    app.options.startTimer(() => {
      isDue = false;
      load();
    }, GATHER_MS);
  };
  const entries = (): Entry[] => [
    ...(book?.files ?? []).map((file) => ({ kind: 'file', file }) as const),
    ...(book?.rules ?? []).map((rule) => ({ kind: 'rule', rule }) as const),
  ];
  const list = createList({
    items: entries,
    keyOf: (entry) => (entry.kind === 'file' ? `file ${entry.file.path}` : `rule ${entry.rule.id}`),
    isCentred: true,
  });
  const remove = ({ id, effect, ...rule }: Rule): void =>
    confirm(app, {
      question: `Remove the rule ${cleanLine(id)}: ${effect} ${truncate(ruleAbout({ id, effect, ...rule }), 40)}?`,
      onYes: async () => {
        await app.client.call('removeRule', { params: { id } });
        app.toast('good', `removed the rule ${cleanLine(id)}`);
      },
    });
  const row = onChosen(list, NO_RULES);
  const rows: Binding[] = [
    row(
      ['enter'],
      () => (list.chosen()?.kind === 'file' ? 'read it' : 'show all of it'),
      (entry) => (entry.kind === 'file' ? readFile(app, entry.file, show) : readRule(app, entry.rule, show)),
    ),
    {
      ...row(['d'], 'remove it', (entry) => entry.kind === 'rule' && remove(entry.rule)),
      disabled() {
        const entry = list.chosen();
        if (entry === undefined) return NO_RULES;
        const isAdded = entry.kind === 'rule' && entry.rule.origin === 'added';
        return isAdded ? null : 'This rule is in a file; to remove the rule, edit the file';
      },
    },
    { keys: ['s'], does: 'suggestions', run: () => showSuggestions(app, show) },
    { keys: ['a'], does: 'audit', run: () => showAudit(app, '') },
    movingBy(list.onKey),
    leavingBy(app.close),
  ];
  const show = (): void => {
    load();
    app.open({
      ...keysOf(app, rows),
      onFrame: ({ type }) => {
        if (type === 'rules_changed' || type === 'rule_decided' || type === 'sessions') loadSoon();
      },
      page(cols, height) {
        if (book === null) return { title: 'Rules', rows: [' …'] };
        if (entries().length === 0) return { title: 'Rules', rows: ['', `   ${NO_RULES}`] };
        const lines = list.show(height, (entry, isChosen) => {
          const [first, second] =
            entry.kind === 'file' ? fileRows(entry.file) : ruleRows(entry.rule, app.options.now());
          const bar = isChosen ? app.dress('cyan', '▌') : ' ';
          const text = truncate(first, cols - 4);
          return [
            `${bar} ${isChosen ? app.dress('inverse', text) : text}`,
            `${bar}   ${app.dress('dim', truncate(second, cols - 6))}`,
          ];
        });
        return { title: `Rules: ${book.rules.length}`, rows: lines };
      },
    });
  };
  show();
}

function fileRows({ path, state, error, folder }: RuleFile): readonly [string, string] {
  const about = error ?? (folder === null ? 'your own rules' : 'can deny and ask, never allow');
  return [
    `${cleanLine(showHiddenMarks(path))}: ${FILE_STATE_WORDS[state] ?? cleanLine(state)}`,
    cleanLine(showHiddenMarks(about)),
  ];
}

function ruleRows(rule: Rule, now: number): readonly [string, string] {
  const { id, effect, origin, used } = rule;
  const flaw = ruleFlaw(rule);
  const facts = [
    flaw ?? '',
    id,
    `from ${ORIGIN_WORDS[origin] ?? origin}`,
    ruleScope(rule),
    ruleLeft(rule, now),
    `used ${used}×`,
  ];
  const over = isRuleOver(rule, now) ? ' (over)' : '';
  return [
    `${effect}${flaw === null ? over : ' (never)'}  ${ruleAbout(rule)}`,
    cleanLine(facts.filter((fact) => fact !== '').join(' · ')),
  ];
}

function readRule(app: App, rule: Rule, onLeave: () => void): void {
  const [first, second] = ruleRows(rule, app.options.now());
  const note = rule.note === null ? '' : cleanBlock(showHiddenMarks(rule.note));
  const text = ['', first, second, '', note].join('\n');
  showPage(app, `Rule ${cleanLine(rule.id)}`, (cols) => wrap(text, cols - 3).map((line) => `  ${line}`), { onLeave });
}

/**
 * Shows the complete text of a rules file. The user can trust a project's file here after its end has been visible.
 * Trust applies only to the content that was shown.
 */
function readFile(app: App, file: RuleFile, onLeave: () => void): void {
  const { folder, state, error, content, sha256 } = file;
  if (content === null && (folder === null || state === 'untrusted')) {
    app.toast('bad', `The file cannot be read: ${error ?? 'it no longer exists'}`);
    return;
  }
  let isRead = false;
  const isTrustable =
    content !== null && folder !== null && (state === 'changed' || (state === 'untrusted' && error === null));
  const isTrusted = folder !== null && state !== 'untrusted';
  const trust = (): void => {
    if (!isRead) {
      app.toast('wait', 'Read the file to the end first');
      return;
    }
    confirm(app, {
      question: `Apply the rules in ${cleanLine(folder ?? '')}?`,
      onYes: async () => {
        await app.client.call('trustRules', { body: { path: folder ?? '', sha256: sha256 ?? '' } });
        app.toast('good', `the rules in ${cleanLine(folder ?? '')} now apply, exactly as you read them`);
      },
    });
  };
  const untrust = (): void =>
    confirm(app, {
      question: `Stop applying the rules in ${cleanLine(folder ?? '')}?`,
      onYes: async () => {
        await app.client.call('untrustRules', { body: { path: folder ?? '' } });
        app.toast('good', `the rules in ${cleanLine(folder ?? '')} no longer apply`);
      },
    });
  const [title, about] = fileRows(file);
  const text = ['', about, '', cleanBlock(showHiddenMarks(content ?? ''))].join('\n');
  showPage(app, title, (cols) => wrap(text, cols - 3).map((line) => `  ${line}`), {
    onLeave,
    onEnd: () => {
      isRead = true;
    },
    keys: [
      { keys: ['t'], does: 'trust these rules', applies: () => isTrustable, run: trust },
      { keys: ['u'], does: 'stop trusting', applies: () => isTrusted, run: untrust },
    ],
  });
}
