import { type Grouping, isTag, type Session, TAG_RULE } from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { type App, requireSelected } from '../app.ts';
import { foldKeyOf, nextGrouping } from '../groups.ts';
import { selectedSession } from '../model.ts';

const GROUPING_WORDS: Readonly<Record<Grouping, string>> = {
  attention: 'by what they want of you',
  repo: 'by repository',
  tag: 'by their first tag',
  none: 'without headings',
};

/** The next way to group the list. */
export function cycleGrouping(app: App): void {
  app.model.grouping = nextGrouping(app.model.grouping);
  app.toast('good', `The list is ${GROUPING_WORDS[app.model.grouping]}`);
}

/** Folds the group of the selected session. What needs its person stays in sight, so a jump never leads to nowhere. */
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

/** `:tag night -old`: the words with a dash in front go, the others come. Without words it says which there are. */
export function tagByWords(app: App, words: string): void {
  const session = requireSelected(app);
  if (session === null) return;
  const typed = words.split(/\s+/).filter((word) => word !== '');
  if (typed.length === 0) {
    app.toast('good', `${session.slug}: ${tagsText(session)}`);
    return;
  }
  const remove = typed.flatMap((word) => (word.startsWith('-') ? [word.slice(1)] : []));
  const add = typed.flatMap((word) => (word.startsWith('-') ? [] : [word.replace(/^\+/, '')]));
  const wrong = [...add, ...remove].find((word) => !isTag(word));
  if (wrong !== undefined) {
    app.toast('bad', `${wrong} is no tag: ${TAG_RULE}`);
    return;
  }
  const { slug } = session;
  app.run(async () => {
    const body = { ...(add.length === 0 ? {} : { add }), ...(remove.length === 0 ? {} : { remove }) };
    const after = await app.client.call('tagSession', { params: { slug }, body });
    app.toast('good', `${slug}: ${tagsText(after)}`);
  });
}

function tagsText({ tags }: Partial<Pick<Session, 'tags'>>): string {
  return (tags ?? []).map((tag) => `#${cleanLine(tag)}`).join(' ') || 'no tag — :tag night gives one';
}

/** Takes the selected session off the list. It is refused for one that runs. */
export function archive(app: App): void {
  const session = requireSelected(app);
  if (session === null) return;
  const { slug } = session;
  app.run(async () => {
    await app.client.call('archiveSession', { params: { slug } });
    app.toast('good', `${slug} is archived — :unarchive ${slug} lists it again`);
  });
}

export function unarchive(app: App, words: string): void {
  if (words === '') {
    app.toast('bad', 'Which one? — :unarchive NAME; `cbos ls --archived` lists them');
    return;
  }
  app.run(async () => {
    const { slug } = await app.client.call('unarchiveSession', { params: { slug: words } });
    app.toast('good', `${slug} is listed again`);
  });
}
