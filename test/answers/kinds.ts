import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block } from '../../src/demo/scenes/scene.ts';
import type { Answer, OptionMeaning, Question } from '../../src/protocol/index.ts';
import { asks, runs } from '../harness/answering.ts';

/** One question of a session, the answer to it, and the proof that the answer was taken as intended. */
export interface Asking {
  /** the model's calls; the first one asks, and later ones must not */
  calls: readonly Block[];
  answer: (question: Question) => Answer;
  /** whether nothing more can be asked in this turn */
  isLast: boolean;
  /** what Claude Code sends to the model about the first call; null if the turn has ended */
  told: RegExp | null;
  /** how often the command ran; null if there is none */
  ran: number | null;
  /** the permission mode afterwards; omitted if it does not matter */
  mode?: Mode;
}

export type Mode = 'default' | 'accept edits' | 'plan';

export interface Place {
  /** distinguishes this question from all others */
  mark: string;
  /** the folder in which the session works */
  project: string;
}

export const timesRun = ({ mark, project }: Place): number => {
  const file = join(project, '..', `ran-${mark}`);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};

const optionThat = ({ options }: Question, meaning: OptionMeaning): number =>
  options.findIndex(({ means }) => means === meaning) + 1;

/** Matches text as it appears in the JSON of a tool's result. */
const inResult = (text: string): RegExp =>
  new RegExp(
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );

const permission = (answer: Asking['answer'] | Answer, so: Pick<Asking, 'told' | 'ran'>) => ({
  answer: typeof answer === 'function' ? answer : () => answer,
  isLast: so.told === null,
  ...so,
});

/** Returns a command outside the project's folder, which requires a permission. */
const touches = ({ mark }: Place): readonly Block[] => [runs(`echo ran >> ../ran-${mark}`)];

/**
 * Returns calls of a script that nobody has allowed, which asks once. After "always" it runs again without a
 * question.
 */
function runsTwice({ mark, project }: Place): readonly Block[] {
  writeFileSync(join(project, `run-${mark}.sh`), `#!/bin/sh\necho ran >> ../ran-${mark}\n`, { mode: 0o755 });
  return [runs(`./run-${mark}.sh`), runs(`./run-${mark}.sh`)];
}

const STORES = ['SQLite', 'Redis', 'Files'];
const storesFor = (mark: string) => `Which store shall ${mark} use?`;
const CHECKS = ['Types', 'Lint', 'Tests'];
const checksFor = (mark: string) => `Which checks shall ${mark} run?`;
const optionsOf = (labels: readonly string[]) => labels.map((label) => ({ label, description: `about ${label}` }));
const asksOne = (mark: string) => ({
  question: storesFor(mark),
  header: 'Store',
  multiSelect: false,
  options: optionsOf(STORES),
});
const asksSome = (mark: string) => ({
  question: checksFor(mark),
  header: 'Checks',
  multiSelect: true,
  options: optionsOf(CHECKS),
});

const question = (
  { mark }: Place,
  of: { parts: readonly ((mark: string) => object)[]; answer: Answer; told: readonly [string, string][] | RegExp },
): Asking => ({
  calls: [asks(...of.parts.map((part) => part(mark)))],
  answer: () => of.answer,
  isLast: false,
  told:
    of.told instanceof RegExp
      ? of.told
      : new RegExp(of.told.map(([asked, label]) => inResult(`"${asked}"="${label}"`).source).join('.*')),
  ran: null,
});

/** The kinds by common names, in the order in which a session asks them. Those that end a turn come last. */
export const KINDS: Readonly<Record<string, (place: Place) => Asking>> = {
  'permission: yes': (place) => ({
    calls: touches(place),
    ...permission({ choice: 'yes' }, { told: /./, ran: 1 }),
  }),
  'permission: yes by number': (place) => ({
    calls: touches(place),
    ...permission((asked) => ({ choice: optionThat(asked, 'yes') }), { told: /./, ran: 1 }),
  }),
  'permission: always': (place) => ({
    calls: runsTwice(place),
    ...permission({ choice: 'always' }, { told: /./, ran: 2 }),
  }),
  'permission: no with a remark': (place) => ({
    calls: touches(place),
    ...permission(
      { choice: 'no', text: `Not for ${place.mark}:\n1. Yes` },
      { told: inResult(`the user said:\nNot for ${place.mark}:\n1. Yes`), ran: 0 },
    ),
  }),
  'question: by number': (place) =>
    question(place, { parts: [asksOne], answer: { choice: 2 }, told: [[storesFor(place.mark), 'Redis']] }),
  'question: by label': (place) =>
    question(place, { parts: [asksOne], answer: { text: 'files' }, told: [[storesFor(place.mark), 'Files']] }),
  'question: in words of its own': (place) =>
    question(place, {
      parts: [asksOne],
      answer: { text: `Postgres for ${place.mark}` },
      told: [[storesFor(place.mark), `Postgres for ${place.mark}`]],
    }),
  'question: several at once': (place) =>
    question(place, {
      parts: [asksOne, asksSome],
      answer: { answers: { [storesFor(place.mark)]: 'SQLite', Checks: ['Lint', 'Tests'] } },
      told: [
        [storesFor(place.mark), 'SQLite'],
        [checksFor(place.mark), 'Lint, Tests'],
      ],
    }),
  'question: several choices': (place) =>
    question(place, { parts: [asksSome], answer: { choice: [1, 3] }, told: [[checksFor(place.mark), 'Types, Tests']] }),
  'question: choices and words': (place) =>
    question(place, {
      parts: [asksSome],
      answer: { answers: { Checks: ['Lint', `Words of ${place.mark}`] } },
      told: [[checksFor(place.mark), `Lint, Words of ${place.mark}`]],
    }),
  'question: left to talk about it': (place) =>
    question(place, { parts: [asksOne], answer: { text: 'Chat about this' }, told: /wants to clarify/ }),
  'permission: no': (place) => ({
    calls: touches(place),
    ...permission({ choice: 'no' }, { told: null, ran: 0 }),
  }),
};

const plan = ({ mark }: Place, answer: Answer, told: RegExp | null): Asking => ({
  calls: [{ kind: 'tool', name: 'ExitPlanMode', input: { plan: `# Plan ${mark}\n\n1. Add the endpoint.\n` } }],
  answer: () => answer,
  isLast: told === null,
  told,
  ran: null,
});

const APPROVED = /approved your plan/;

/**
 * The kinds for a session in plan mode, which an approval ends. There is therefore one approval at the end of each
 * turn.
 */
export const PLAN_KINDS: Readonly<Record<string, (place: Place) => Asking>> = {
  'plan: sent back with a remark': (place) =>
    plan(place, { choice: 'no', text: `Shorter, ${place.mark}` }, inResult(`the user said:\nShorter, ${place.mark}`)),
  'plan: sent back in words': (place) =>
    plan(place, { text: `Longer, ${place.mark}` }, inResult(`the user said:\nLonger, ${place.mark}`)),
  'plan: approved': (place) => ({ ...plan(place, { choice: 'yes' }, APPROVED), isLast: true, mode: 'default' }),
  'plan: approved for all edits': (place) => ({
    ...plan(place, { choice: 'always' }, APPROVED),
    isLast: true,
    mode: 'accept edits',
  }),
  'plan: no': (place) => ({ ...plan(place, { choice: 'no' }, null), mode: 'plan' }),
};
