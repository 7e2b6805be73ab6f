import type { Turn } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { turnText } from '../../text/turn-words.ts';
import type { App } from '../app.ts';
import { createList } from '../list.ts';
import { listRow } from '../view/dress.ts';
import { keysOf, leavingBy, movingBy } from './binding.ts';

interface TurnChoice {
  slug: string;
  /** the turn whose changes are currently shown; null for all changes */
  turn: number | null;
  /** called with the chosen turn, or with null for all changes */
  onChoose(turn: number | null): void;
}

/**
 * Lets the user choose either all changes of a session or one of its turns for which files were saved. The newest turn
 * comes first.
 */
export function chooseTurn(app: App, choice: TurnChoice): void {
  const before = app.mode();
  app.run(async () => {
    const { turns } = await app.client.call('listTurns', { params: { slug: choice.slug } });
    // If the user has opened something else in the meantime, further keypresses are meant for that.
    if (app.mode() !== before) return;
    if (turns.length === 0) app.toast('bad', `No turns of ${choice.slug} are saved yet — cbos turns --help`);
    else openTurns(app, choice, turns.toReversed());
  });
}

function openTurns(app: App, { slug, turn, onChoose }: TurnChoice, turns: readonly Turn[]): void {
  /** all changes, and then the turns */
  const choices = [null, ...turns];
  const at = choices.findIndex((one) => (one?.number ?? null) === turn);
  const list = createList({ items: () => choices, at, isCentred: true });
  app.open({
    ...keysOf(app, [
      { keys: ['enter'], does: 'show it', run: () => onChoose(list.chosen()?.number ?? null) },
      movingBy(list.onKey),
      leavingBy(() => onChoose(turn), ['t']),
    ]),
    page(cols, rows) {
      const now = app.options.now();
      return {
        title: `Turns of ${cleanLine(slug)}: ${turns.length}`,
        rows: list.show(rows, (one, isChosen) => {
          const text = one === null ? 'All changes since its branch began' : turnText(one, now);
          return [listRow(app.dress, truncate(text, cols - 3), { isChosen })];
        }),
      };
    },
  });
}
