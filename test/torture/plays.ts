import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Block, Reply } from '../../src/demo/scenes/scene.ts';
import type { Random } from './random.ts';

/** The model's reaction to a prompt. Every dialog contains the mark of its prompt. */
export const PLAYS = ['hello', 'think', 'long', 'permission', 'twice', 'ask', 'fail', 'query', 'tools'] as const;
export type Play = (typeof PLAYS)[number];

/** `‹S1.c2.17›`: each prompt has its mark once, at its beginning, and it occurs nowhere else. */
export const MARK = /‹([A-Za-z0-9.]+)›/g;

const say = (text: string, chunkDelayMs = 20): Block => ({ kind: 'text', text, chunkDelayMs });
const touch = (name: string): Block => ({
  kind: 'tool',
  name: 'Bash',
  input: { command: `touch ../granted-${name}`, description: `Create ${name}` },
});
const answer = (...blocks: Block[]): Reply => ({ kind: 'answer', firstByteDelayMs: 150, blocks });

export const CHOICES = ['Alpha', 'Beta', 'Gamma'] as const;
export const questionOf = (mark: string): string => `Which letter shall ${mark} have?`;

function repliesOf(play: string, mark: string): Reply[] {
  switch (play) {
    case 'think':
      return [
        answer({ kind: 'thinking', text: 'I consider it from all sides. '.repeat(8), chunkDelayMs: 40 }, say('So.')),
      ];
    case 'long':
      return [answer(say('This is a line of a long answer.\n'.repeat(40), 20))];
    case 'permission':
      return [answer(say('I will.'), touch(mark)), answer(say('It is there.'))];
    case 'twice':
      return [answer(touch(`${mark}.a`)), answer(touch(`${mark}.b`)), answer(say('Both are there.'))];
    case 'ask': {
      const options = CHOICES.map((label) => ({ label, description: `The letter ${label}` }));
      const questions = [{ question: questionOf(mark), header: 'Letter', multiSelect: false, options }];
      return [answer({ kind: 'tool', name: 'AskUserQuestion', input: { questions } }), answer(say('Good.'))];
    }
    case 'fail':
      return [{ kind: 'error', status: 400, type: 'invalid_request_error', message: 'The play refuses this' }];
    case 'query':
      return [answer(say('It is done.\n\nShould I also write a test for it?'))];
    case 'tools':
      return [
        answer({ kind: 'tool', name: 'Bash', input: { command: './check.sh', description: 'Run the checks' } }),
        answer(say('All checks passed.')),
      ];
    default:
      return [answer(say('Hello!'))];
  }
}

/** Chooses the play by the words of the newest prompt. Claude Code may send several prompts to the model as one. */
export const choosePlay: ChooseScene = (prompt) => {
  const found = [...prompt.matchAll(/‹([A-Za-z0-9.]+)› play:([a-z]+)/g)].at(-1);
  const [, mark, play] = found ?? [];
  if (mark === undefined || play === undefined) return null;
  return { name: play, about: play, replies: repliesOf(play, mark) };
};

const FILLERS: readonly [string, ...string[]] = [
  'please',
  '1',
  'y',
  'yes\n1\n2',
  'a $HOME, a `date`, a ^C and a \\ in the middle',
  '漢字かな and 👩‍👩‍👧‍👦 and é',
  'several\nlines\n\n  indented\nand a last one',
  `long ${'words over words '.repeat(60)}end`,
  'ends in a backslash \\',
];

/** Returns a unique prompt. It may contain text that would answer a dialog, or end a paste too early. */
export function promptText(random: Random, mark: string, play: Play): string {
  return `‹${mark}› play:${play} ${random.pick(FILLERS)}`;
}
