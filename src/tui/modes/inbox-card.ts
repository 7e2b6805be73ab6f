import type { InboxCard } from '../../client/index.ts';
import type { QuestionMemory } from '../../protocol/index.ts';
import { askerText } from '../../text/asker-words.ts';
import { LIMIT_OVER_TEXT } from '../../text/limit-words.ts';
import { pathText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { cutText } from '../../text/tool-input-text.ts';
import type { App } from '../app.ts';
import { wrap } from '../view/cells.ts';
import { memoryRows } from '../view/memory-rows.ts';
import { questionPage } from '../view/question-rows.ts';

/** Returns the rows of a card, which show who is asking and what. */
export function cardLines(
  { dress, options }: App,
  card: InboxCard,
  { memory, cols }: { memory: QuestionMemory | null; cols: number },
): string[] {
  const { askers } = card;
  const home = options.env.HOME;
  const names = askers.map(({ slug, path }) => `${cleanLine(slug)} in ${pathText(path, home)}`);
  const all = askers.length > 1 ? [`ask the same question: one answer goes to all ${askers.length}`] : [];
  const who = card.about === 'limit' ? '' : askerText(card.question);
  const head = [...names, ...all, ...(who === '' ? [] : [`asked by its ${who}`])]
    .flatMap((line) => wrap(line, cols - 2))
    .map((row) => ` ${dress('bold', row)}`);
  if (card.about === 'limit') return [...head, '', ...wrap(LIMIT_OVER_TEXT, cols - 2).map((row) => ` ${row}`)];
  const { question } = card;
  const cut = question.cut === true ? wrap(cutText('Enter, then t opens it'), cols - 2).map((row) => ` ${row}`) : [];
  const part = question.questions[0] ?? { header: null, ...question };
  const before = memoryRows(question, memory, { width: cols - 2, dress }).map((row) => ` ${row}`);
  const below = before.length === 0 ? [] : ['', ...before];
  return [...head, '', ...questionPage(question, part, cols), ...cut, ...below];
}
