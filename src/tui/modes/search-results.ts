import type { SearchHit } from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { createList } from '../list.ts';
import { replayFrom } from '../replay.ts';
import { wrap } from '../view/cells.ts';
import { keysOf, leavingBy, movingBy } from './binding.ts';

/**
 * How many seconds after its time in the transcript a text is assumed to be on the screen. In 2.1.329, this took up to
 * a second on a busy machine.
 */
const DRAWN_AFTER_S = 1.5;

/** Shows the hits of a search. Enter plays the recording from the hit, or opens the session. */
export function showHits(app: App, hits: readonly SearchHit[], words: string): void {
  const list = createList({ items: () => hits });
  app.open({
    ...keysOf(app, [
      movingBy(list.onKey, hits.length === 0 ? () => null : 'choose'),
      { keys: ['enter'], applies: () => hits.length > 0, does: 'open', run: () => open(app, list.chosen()) },
      leavingBy(app.close, ['enter']),
    ]),
    page(cols, rows) {
      const lines = list.show(rows, (hit, isChosen) => hitRows(app, hit, { cols, isChosen }));
      const title = hits.length === 1 ? '1 result' : `${hits.length} results`;
      return { title: `${title}: ${cleanLine(words)}`, rows: lines };
    },
  });
}

function hitRows(
  { dress, options }: App,
  { session, at, snippet }: SearchHit,
  of: { cols: number; isChosen: boolean },
) {
  const mark = of.isChosen ? '▌' : ' ';
  return [
    `${mark}${dress(of.isChosen ? 'inverse' : 'bold', cleanLine(session))} ${dress('dim', `${formatSince(at, options.now())} ago`)}`,
    ...wrap(cleanLine(snippet), of.cols - 4).map((row) => `${mark}  ${row}`),
  ];
}

/**
 * Opens a hit: for a hit in a recording, plays the recording from there; for a hit in a conversation, selects the
 * session.
 */
function open(app: App, hit: SearchHit | undefined): void {
  if (hit === undefined) return;
  const { session, recording, kind, t } = hit;
  app.select(session);
  app.close();
  if (recording === null || t === null) return;
  const seconds = kind === 'screen' ? t : t + DRAWN_AFTER_S;
  replayFrom(app, { slug: session, recording, seconds });
}
