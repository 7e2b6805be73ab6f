import type { Question, QuestionMemory } from '../../protocol/index.ts';
import { memoryText, suggestionText } from '../../text/memory-words.ts';
import type { Style } from '../../text/style.ts';
import { wrap } from './cells.ts';

/** The maximum number of rows for the earlier answers. The suggestion is always shown in full. */
const MOST_ROWS = 3;

/** Renders the earlier answers to a question, along with the key that repeats the answer. */
export function memoryRows(
  question: Question,
  memory: QuestionMemory | null,
  { width, dress }: { width: number; dress: Style },
): string[] {
  if (memory === null) return [];
  const said = wrap(memoryText(memory), width).slice(0, MOST_ROWS);
  const { suggestion } = memory;
  const [first, ...more] = suggestion === null ? [] : wrap(suggestionText(question, suggestion), width - 3);
  return [
    ...said.map((row) => dress('dim', row)),
    ...(first === undefined ? [] : [`${dress('cyan', '.')}  ${first}`]),
    ...more.map((row) => `   ${row}`),
  ];
}
