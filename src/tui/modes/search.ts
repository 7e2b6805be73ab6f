import type { App } from '../app.ts';
import { EMPTY_EDITOR, edit, editorOf } from '../input/editor.ts';
import { type Binding, keysOf } from './binding.ts';
import { showHits } from './search-results.ts';

/** How many hits to request, which fill a page or two. */
const MOST_HITS = 50;

/**
 * Lets the user type the words of a search. If they are one of this program's commands, the command is run instead,
 * because users typed commands here before commands had a key of their own. The title announces this before the user
 * presses Enter.
 */
export function editSearch(app: App): void {
  const { commands } = app;
  let editor = EMPTY_EDITOR;
  /** returns the command that the words stand for, or null if they are a search */
  const command = (): string | null => {
    const typed = `/${editor.text.trim()}`;
    return commands.has(typed) && commands.fits(typed) ? typed : null;
  };
  const submit = (): void => {
    const typed = command();
    app.close();
    if (typed !== null) commands.run(app, typed);
    else search(app, editor.text.trim());
  };
  const complete = (): void => {
    const completed = commands.complete(`/${editor.text}`);
    if (completed !== null) editor = editorOf(completed.slice(1));
  };
  const rows: Binding[] = [
    { keys: ['enter'], does: () => (command() === null ? 'search' : 'run it'), run: submit },
    { keys: ['tab'], does: 'complete a command', run: complete },
    { keys: ['escape', 'ctrl+c'], does: 'leave', run: () => app.close() },
  ];
  app.open({
    ...keysOf(app, rows, (event) => {
      editor = edit(editor, event) ?? editor;
    }),
    input: () => ({
      title: command() === null ? 'Search all sessions' : `Enter runs the command ${command()}`,
      mark: '/',
      editor,
      isActive: true,
    }),
  });
}

/** Runs the search and shows the hits. */
export function search(app: App, words: string): void {
  if (words === '') {
    app.toast('bad', 'Enter the words to search for');
    return;
  }
  app.toast('wait', 'searching…');
  app.run(async () => {
    const { hits } = await app.client.call('search', { query: { q: words, limit: MOST_HITS } });
    showHits(app, hits, words);
  });
}
