import type { StashedResponse } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { formatSince } from '../../text/durations.ts';
import { firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { editorOf } from '../input/editor.ts';
import { createList } from '../list.ts';
import { keysOf, leavingBy, movingBy, onChosen } from './binding.ts';
import { confirm } from './confirm.ts';
import { reply } from './reply.ts';

const NO_DRAFTS = 'No drafts yet; Ctrl+S in the input keeps your text as a draft';

/** Shows the drafts, starting with those for the selected session. The user can send, edit, or delete them here. */
export function showStash(app: App): void {
  let kept: StashedResponse[] | null = null;
  const list = createList({ items: () => kept ?? [], keyOf: ({ id }) => id });
  const load = async (): Promise<void> => {
    const all = await app.client.call('listStash');
    const isHere = (reply: StashedResponse): number => Number(reply.session_slug !== app.model.selected);
    kept = all.filter(({ applied }) => !applied).sort((one, other) => isHere(one) - isHere(other));
    app.changed();
  };
  const row = onChosen(list, NO_DRAFTS);
  const apply = ({ id, session_slug: slug }: StashedResponse): void => {
    app.toast('wait', `sending it to ${slug}…`);
    app.run(async () => {
      await app.client.call('applyStash', { params: { id } });
      app.toast('good', `sent the draft to ${slug}`);
      await load();
    });
  };
  const change = ({ id, session_slug: slug, response }: StashedResponse): void => {
    app.run(async () => {
      await app.client.call('removeStash', { params: { id } });
      app.select(slug);
      app.model.drafts.set(slug, editorOf(response));
      reply(app);
    });
  };
  const remove = ({ id, response }: StashedResponse): void => {
    confirm(app, {
      question: `Delete the draft "${truncate(firstLine(response), 30)}"?`,
      onYes: async () => {
        await app.client.call('removeStash', { params: { id } });
        app.toast('good', 'deleted the draft');
      },
    });
  };
  app.open({
    ...keysOf(app, [
      row(['enter'], 'send it', apply),
      row(['e'], 'change it', change),
      row(['d', 'x'], 'delete it', remove),
      movingBy(list.onKey, () => (list.chosen() === undefined ? null : 'move')),
      leavingBy(app.close, ['S']),
    ]),
    page(cols, rows) {
      const { dress } = app;
      if (kept === null) return { title: 'Drafts', rows: [' …'] };
      if (kept.length === 0) return { title: 'Drafts', rows: ['', dress('dim', `   ${NO_DRAFTS}`)] };
      const lines = list.show(rows, (reply, isChosen) => {
        const about = reply.question === null ? '' : ` · to: ${firstLine(reply.question)}`;
        const by = reply.when === 'next_waiting' ? ' · queued' : '';
        const facts = `${cleanLine(reply.session_slug)} · ${formatSince(reply.created_at, app.options.now())} ago${by}${about}`;
        const bar = isChosen ? dress('cyan', '▌') : ' ';
        const text = truncate(reply.response.split('\n').map(cleanLine).join(' ⏎ '), cols - 4);
        return [
          `${bar} ${dress('dim', truncate(facts, cols - 3))}`,
          `${bar} ${isChosen ? dress('inverse', text) : text}`,
        ];
      });
      return { title: `Drafts: ${kept.length}`, rows: lines };
    },
  });
  app.run(load);
}
