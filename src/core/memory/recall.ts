import type { AnswerBefore, RememberedQuestion } from '../../protocol/index.ts';
import { type Said, sameKey } from './remember.ts';

/** An answer that the user gave. */
export interface PastAnswer extends Said {
  /** when the user gave the answer, in Unix milliseconds */
  at: number;
  /** the name that the session had at that time */
  session: string;
}

export interface Recalled {
  /** the answers, most frequent first */
  answers: AnswerBefore[];
  /** whether the user gave different answers at different times */
  differs: boolean;
  /** what the user said every time, or null if nothing was said or the answers differ */
  same: Said | null;
}

/**
 * Counts the answers to one question, oldest first. An "always" counts as a yes when answers are compared, and CBOS
 * suggests it as a yes. A suggestion therefore never allows more than the current call.
 */
export function recall(past: readonly PastAnswer[]): Recalled {
  const counted = new Map<string, AnswerBefore>();
  for (const { at, session, said, remark, chosen } of past) {
    const key = sameKey({ said, remark, chosen });
    const count = (counted.get(key)?.count ?? 0) + 1;
    const last = { last_at: new Date(at).toISOString(), last_session: session };
    counted.set(key, { said, remark, chosen, count, ...last });
  }
  const answers = [...counted.values()].sort((one, other) => other.count - one.count);
  const different = new Map(answers.map((one) => [sameKey(onlyOnce(one)), onlyOnce(one)]));
  const [same = null] = different.values();
  return { answers, differs: different.size > 1, same: different.size === 1 ? same : null };
}

const onlyOnce = ({ said, remark, chosen }: Said): Said => ({ said: said === 'always' ? 'yes' : said, remark, chosen });

/** A stored answer, together with the question that it answers. */
export interface StoredAnswer extends PastAnswer {
  id: number;
  project: string;
  tool: string;
  about: string;
  /** a key that is the same for equal questions, across all projects */
  asked: string;
}

export interface AnswersFilter {
  words: readonly string[];
  /** the folder whose questions are wanted, including those from its subfolders, or null for all folders */
  project: string | null;
}

/** Returns the answers to each matching question. The question that was answered most recently comes first. */
export function findAnswered(answers: readonly StoredAnswer[], { words, project }: AnswersFilter): StoredAnswer[][] {
  const questions = new Map<string, StoredAnswer[]>();
  for (const one of answers) {
    if (project !== null && one.project !== project && !one.project.startsWith(`${project}/`)) continue;
    const key = `${one.asked} ${one.project}`;
    const known = questions.get(key);
    if (known === undefined) questions.set(key, [one]);
    else known.push(one);
  }
  const wanted = words.map((word) => word.toLowerCase());
  return [...questions.values()]
    .filter((asked) => wanted.length === 0 || contains(asked, wanted))
    .sort((one, other) => lastId(other) - lastId(one));
}

const lastId = (asked: readonly StoredAnswer[]): number => asked.at(-1)?.id ?? 0;

function contains(asked: readonly StoredAnswer[], words: readonly string[]): boolean {
  const text = [...new Set(asked.flatMap(textsOf))].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

function textsOf({ about, tool, session, remark, chosen }: StoredAnswer): string[] {
  return [about, tool, session, remark ?? '', ...chosen.flatMap(({ labels, text }) => [...labels, text ?? ''])];
}

/** Returns a question with its answers, in the form shown in lists. */
export function toRemembered(asked: readonly StoredAnswer[]): RememberedQuestion {
  const { project = '', tool = '', about = '' } = asked.at(-1) ?? {};
  const { answers, differs } = recall(asked);
  return { project, tool, about, answers, differs };
}
