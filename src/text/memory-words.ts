import type { Answer, AnswerBefore, Question, QuestionMemory } from '../protocol/index.ts';
import { formatDateTime } from './durations.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { firstLine } from './session-words.ts';
import { cleanLine } from './terminal-text.ts';

const seen = (text: string): string => cleanLine(showHiddenMarks(text));

/** The maximum number of different answers that one line lists. */
const MOST_NAMED = 3;
/** The maximum number of characters of the user's own words in a line. */
const MOST_QUOTED = 60;

const VERBS: Readonly<Record<AnswerBefore['said'], string>> = {
  yes: 'allowed',
  always: 'always allowed',
  no: 'refused',
  choice: 'answered',
};

/**
 * Returns a sentence such as "You allowed this 23 times here; last on 2026-11-24 14:02 in AUTH", or an empty string if
 * the user has never answered the question.
 */
export function memoryText({ answers, differs }: Pick<QuestionMemory, 'answers' | 'differs'>): string {
  const last = lastOf(answers);
  if (last === null) return '';
  const [first = '', ...others] = answers.slice(0, MOST_NAMED).map(countText);
  const more = answers.length > MOST_NAMED ? [`gave ${answers.length - MOST_NAMED} other answers`] : [];
  const and = [...others, ...more];
  const all = and.length === 0 ? first : `${[first, ...and.slice(0, -1)].join(', ')} and ${and.at(-1)}`;
  const when = `last on ${dayText(last.last_at)} in ${seen(last.last_session)}`;
  return `You ${all} here; ${when}${differs ? ': your answers differ' : ''}`;
}

/** Describes one of several answers, such as "allowed this 23 times". */
function countText(answer: AnswerBefore): string {
  const what = wordsOf(answer);
  const verb = VERBS[answer.said] ?? 'answered';
  if (answer.said === 'choice') return `${verb} ${what} ${timesText(answer.count)}`;
  return `${verb} this ${timesText(answer.count)}${what === '' ? '' : `, with ${what},`}`;
}

/** Describes all answers for a list, such as "yes 23 times, no “use pnpm” once". */
export function answersText(answers: readonly AnswerBefore[]): string {
  const [first, ...others] = answers.slice(0, MOST_NAMED).map((answer) => {
    const said = answer.said === 'choice' ? '' : answer.said;
    return [said, wordsOf(answer), timesText(answer.count)].filter((part) => part !== '').join(' ');
  });
  const more = answers.length > MOST_NAMED ? [`${answers.length - MOST_NAMED} others`] : [];
  return [first, ...others, ...more].join(', ');
}

/** Returns the user's own words, or the options that the user chose, in quotes. */
function wordsOf({ remark, chosen }: Pick<AnswerBefore, 'remark' | 'chosen'>): string {
  const words = chosen.map(({ labels, text }) => [...labels, ...(text === null ? [] : [text])].join(', '));
  return [...words, ...(remark === null ? [] : [remark])].map(quoted).join(' and ');
}

function quoted(text: string): string {
  const line = firstLine(showHiddenMarks(text));
  return `“${line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED)}…` : line}”`;
}

const timesText = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

const dayText = (at: string): string => formatDateTime(Date.parse(at)).slice(0, 'YYYY-MM-DD HH:MM'.length);

/** Returns the most recent answer, or null if there is none. */
export function lastOf(answers: readonly AnswerBefore[]): AnswerBefore | null {
  return answers.reduce<AnswerBefore | null>(
    (last, one) => (last === null || Date.parse(one.last_at) >= Date.parse(last.last_at) ? one : last),
    null,
  );
}

/**
 * Returns the label of a suggested answer for a button or a key, such as "Yes, as before". It contains all the words
 * that would be sent.
 */
export function suggestionText(question: Question, answer: Answer): string {
  const { choice, text, answers } = answer;
  const option = typeof choice === 'number' ? question.options[choice - 1]?.label : undefined;
  const words = [option, text, ...Object.values(answers ?? {}).flat()].filter((one) => one !== undefined);
  const said = choice === 'yes' ? 'Yes' : choice === 'no' ? 'No' : null;
  return [...(said === null ? [] : [said]), ...words.map((text) => `“${seen(text)}”`), 'as before'].join(', ');
}
