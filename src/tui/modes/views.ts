import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';

/**
 * Runs `:view night`, which arranges the list according to that view, `:view save night`, which saves the current
 * arrangement, `:view rm night`, which deletes the view, and `:view`, which lists the views.
 */
export function viewByWords(app: App, words: string): void {
  const [verb = '', name = ''] = words.split(/\s+/).filter((word) => word !== '');
  app.run(async () => {
    const { model, client } = app;
    if (verb === 'save' && name !== '') {
      const body = { group: model.grouping, filter: model.filter };
      await client.call('saveView', { params: { name }, body });
      app.toast('good', `saved: ${name} — :view ${name} shows it here, and the page offers it too`);
      return;
    }
    if (verb === 'rm' && name !== '') {
      await client.call('removeView', { params: { name } });
      app.toast('good', `deleted: ${name}`);
      return;
    }
    const views = await client.call('listViews');
    const view = views.find((one) => one.name === verb);
    if (view === undefined) {
      const names = views.map((one) => cleanLine(one.name)).join(', ') || 'none — :view save NAME';
      app.toast(verb === '' ? 'good' : 'bad', verb === '' ? `views: ${names}` : `no view ${cleanLine(verb)}: ${names}`);
      return;
    }
    model.grouping = view.group;
    model.filter = view.filter;
    app.toast('good', `view ${cleanLine(view.name)}${view.filter === '' ? '' : `: ${cleanLine(view.filter)}`}`);
    app.changed();
  });
}
