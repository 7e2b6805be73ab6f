import type { SeenSession } from '../../protocol/index.ts';
import { foldKeyOf, GROUPING_WORDS, nextGrouping } from '../../text/list-groups.ts';
import { readTagWords, tagsText } from '../../text/tag-words.ts';
import type { App } from '../app.ts';
import { selectedSession } from '../model.ts';

/** Switches to the next way of grouping the list. */
export function cycleGrouping(app: App): void {
  app.model.grouping = nextGrouping(app.model.grouping);
  app.toast('good', `The list is ${GROUPING_WORDS[app.model.grouping]}`);
}

/**
 * Folds the selected session's group. Sessions that need attention stay visible, so that a jump always leads to a
 * visible session.
 */
export function toggleFold(app: App): void {
  const { model } = app;
  const session = selectedSession(model);
  if (session === null || model.grouping === 'none') return;
  const folded = new Set(model.folded);
  const key = foldKeyOf(session, model.grouping);
  if (!folded.delete(key)) folded.add(key);
  model.folded = folded;
  app.changed();
}

export function unfoldAll(app: App): void {
  app.model.folded = new Set();
  app.changed();
}

/**
 * Runs `:tag night -old`. A word with a leading dash is a tag to remove, and any other word is a tag to add. Without
 * any words, the command shows the session's tags.
 */
export function tagByWords(app: App, session: SeenSession, words: string): void {
  const { slug } = session;
  const { edit, problem } = readTagWords(words);
  if (edit === null) app.toast('bad', problem);
  else if (words.trim() === '') app.toast('good', `${slug}: ${tagsText(session) || NO_TAG}`);
  else
    app.run(async () => {
      const after = await app.client.call('tagSession', { params: { slug }, body: edit });
      app.toast('good', `${slug}: ${tagsText(after) || NO_TAG}`);
    });
}

const NO_TAG = 'no tag — :tag night adds one';

/** Archives the selected session, unless it is running. */
export function archive(app: App, session: SeenSession): void {
  const { slug } = session;
  app.run(async () => {
    await app.client.call('archiveSession', { params: { slug } });
    app.toast('good', `${slug} is archived — :unarchive ${slug} lists it again`);
  });
}

export function unarchive(app: App, words: string): void {
  if (words === '') {
    app.toast('bad', 'Name a session: :unarchive NAME; `cbos ls --archived` lists the archived ones');
    return;
  }
  app.run(async () => {
    const { slug } = await app.client.call('unarchiveSession', { params: { slug: words } });
    app.toast('good', `${slug} is listed again`);
  });
}
