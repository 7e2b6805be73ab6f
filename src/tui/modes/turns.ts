import type { Turn } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { turnText } from '../../text/turn-words.ts';
import type { App } from '../app.ts';
import { listRow } from '../view/dress.ts';
import { pagerStep } from './pager-keys.ts';

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
  let at = turns.findIndex(({ number }) => number === turn) + 1;
  let height = 1;
  app.open({
    hints: () => [
      ['Enter', 'show it'],
      ['j/k', 'choose'],
      ['Esc', 'back'],
    ],
    handle(event) {
      if (event.kind !== 'key') return;
      const step = pagerStep(event.name, height);
      if (step !== undefined) {
        at = Math.max(0, Math.min(turns.length, at + step));
        app.changed();
      } else if (event.name === 'enter') onChoose(turns[at - 1]?.number ?? null);
      else if (['escape', 'q', 't', 'ctrl+c'].includes(event.name)) onChoose(turn);
    },
    page(cols, rows) {
      height = rows;
      const now = app.options.now();
      const lines = ['All changes since its branch began', ...turns.map((one) => turnText(one, now))];
      const top = Math.max(0, Math.min(at - Math.floor(rows / 2), lines.length - rows));
      return {
        title: `Turns of ${cleanLine(slug)}: ${turns.length}`,
        rows: lines
          .slice(top, top + rows)
          .map((line, index) => listRow(app.dress, truncate(line, cols - 3), { isChosen: top + index === at })),
      };
    },
  });
}
