import { elsewhereOf, type SeenSession, type StashedResponse } from '../../protocol/index.ts';
import { sendText, stashText } from '../actions.ts';
import { type App, requireSelected } from '../app.ts';
import { type Editor, EMPTY_EDITOR, edit, editorOf, insert } from '../input/editor.ts';
import { dialogOf, draftOf, type Model, selectedSession } from '../model.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { confirm } from './confirm.ts';
import type { Hint } from './mode.ts';

/** The prompts that were sent earlier, newest first, and the user's position among them. */
interface History {
  texts: readonly string[];
  /** -1 stands for the text that the user is writing now */
  at: number;
  draft: Editor;
}

/**
 * Opens the input for the selected session. The user can write a prompt, an answer in words, or a command after `/`.
 * The text belongs to the session, and is kept if the user selects another session.
 * @param added text to insert at the cursor
 */
export function reply(app: App, added = ''): void {
  const { model } = app;
  const session = selectedSession(model);
  // If no session is selected, only commands make sense.
  if (session === null && added !== '/') {
    requireSelected(app);
    return;
  }
  let slug = session?.slug ?? '';
  /** the question that the text is meant for; null if it is meant for the prompt */
  const meantFor = session === null ? null : (dialogOf(model, session)?.id ?? null);
  let history: History = { texts: [], at: -1, draft: EMPTY_EDITOR };
  const text = (): string => draftOf(model, slug).text;
  const write = (editor: Editor): void => {
    if (editor.text === '') model.drafts.delete(slug);
    else model.drafts.set(slug, editor);
    app.changed();
  };
  // A command is written on a line of its own. Esc brings back the text that the user had written for the session.
  const before = draftOf(model, slug);
  if (added === '/') write(editorOf('/'));
  else if (added !== '') write(insert(before, added));
  const leave = (): void => {
    if (text().startsWith('/')) write(before.text.startsWith('/') ? EMPTY_EDITOR : before);
    app.close();
  };
  if (session !== null && elsewhereOf(session) === null)
    app.run(async () => {
      const deliveries = await app.client.call('listDeliveries', { params: { slug } });
      history = { ...history, texts: [...new Set(deliveries.map((delivery) => delivery.text))] };
    });

  /** Returns the current state of the session, which may have asked something by now, or may have been deleted. */
  const current = (): SeenSession | null => model.view.get(slug) ?? null;

  /** Returns why the text cannot be sent now, because the session has asked something since the user began to write. */
  const refusalOf = (to: SeenSession): string | null => {
    const open = dialogOf(model, to);
    if ((open?.id ?? null) === meantFor) return null;
    if (open === null) return `The question of ${to.slug} is no longer open`;
    return meantFor === null ? `${to.slug} now asks something` : `${to.slug} now asks something else`;
  };

  const recall = (step: number): boolean => {
    const at = history.at + step;
    const recalled = at === -1 ? history.draft : history.texts[at];
    if (recalled === undefined || at < -1) return false;
    history = { ...history, at, draft: history.at === -1 ? draftOf(model, slug) : history.draft };
    write(typeof recalled === 'string' ? editorOf(recalled) : recalled);
    return true;
  };

  const submit = (queue: boolean): void => {
    const typed = text();
    if (typed.trim() === '') return;
    const to = current();
    const isOwn = app.commands.has(typed);
    if (isOwn || to !== null) leave();
    if (isOwn) app.commands.run(app, typed);
    else if (to === null && slug !== '') app.toast('bad', `${slug} no longer exists; your text was not sent`);
    else if (to === null) app.toast('bad', `No command is named ${typed.split(/\s/, 1)[0]} — ? lists them`);
    else if (typed.startsWith('!')) {
      const onYes = (): void => sendText(app, to, { text: typed, command: true });
      confirm(app, { question: `Let ${to.slug} run this in a shell?`, onYes });
    } else {
      const command = typed.startsWith('/');
      const refusal = queue || command ? null : refusalOf(to);
      if (refusal === null) sendText(app, to, { text: typed, queue, command });
      else app.toast('wait', `${refusal}; your text was not sent — s opens it again`);
    }
  };

  const keep = (when: StashedResponse['when']): void => {
    const to = current();
    if (to === null || text().trim() === '') return;
    if (elsewhereOf(to) !== null) {
      app.toast('bad', 'Drafts work only for sessions on this machine');
      return;
    }
    app.close();
    stashText(app, to, { text: text(), when });
  };

  const keys: Readonly<Record<string, () => void>> = {
    enter: () => submit(false),
    'ctrl+q': () => submit(true),
    'alt+enter': () => write(insert(draftOf(model, slug), '\n')),
    'shift+enter': () => write(insert(draftOf(model, slug), '\n')),
    'ctrl+j': () => write(insert(draftOf(model, slug), '\n')),
    'ctrl+s': () => keep('manual'),
    'alt+s': () => keep('next_waiting'),
    'ctrl+g': () =>
      app.run(async () => {
        const edited = await app.lendTerminal(() => app.host.editText(text()));
        write(editorOf(edited.replace(/\n$/, '')));
      }),
    tab: () => {
      const completed = app.commands.complete(text());
      if (completed !== null) write(editorOf(completed));
    },
    'ctrl+c': () => {
      if (text() === '') leave();
      else write(EMPTY_EDITOR);
    },
    escape: leave,
  };

  app.open({
    hints: () => {
      const to = slug === '' ? undefined : model.view.get(slug);
      const hints = hintsFor(app, text(), history.texts.length > 0);
      return to === undefined || elsewhereOf(to) === null ? hints : hints.filter(([, does]) => !does.endsWith('draft'));
    },
    onFrame(frame) {
      if (frame.type === 'session_renamed' && frame.session === slug) slug = frame.slug;
    },
    handle(event: InputEvent) {
      const key = event.kind === 'key' ? keys[event.name] : undefined;
      if (key !== undefined) return key();
      const edited = edit(draftOf(model, slug), event);
      if (edited !== null) write(edited);
      else if (event.kind === 'key' && event.name === 'up') recall(1);
      else if (event.kind === 'key' && event.name === 'down') recall(-1);
    },
    input: () => ({
      title: titleFor(model, current(), text()),
      mark: '> ',
      editor: draftOf(model, slug),
      isActive: true,
    }),
  });
}

function hintsFor({ commands }: App, text: string, hasHistory: boolean): Hint[] {
  if (/^\/\S*$/.test(text)) {
    const matching = commands.matching(text);
    return [
      ['Enter', 'run'],
      ['Tab', 'complete'],
      ...matching.map(([name, about]): Hint => [name, about]),
      ['Esc', 'leave'],
    ];
  }
  return [
    ['Enter', 'send'],
    ['Alt+Enter', 'new line'],
    ['Ctrl+S', 'draft'],
    ['Ctrl+Q', 'queue'],
    ['Esc', 'leave'],
    ...(hasHistory ? ([['↑', 'before']] as Hint[]) : []),
    ['Ctrl+G', 'editor'],
    ['Alt+S', 'queued draft'],
  ];
}

function titleFor(model: Model, session: SeenSession | null, text: string): string {
  if (session === null || text.startsWith('/')) return 'Command';
  const { slug, status } = session;
  if (text.startsWith('!')) return `Shell command for ${slug}`;
  if (dialogOf(model, session) !== null) return `Answer ${slug} in your own words`;
  if (status.primary === 'active' || status.primary === 'stuck')
    return `To ${slug}, which is working: the prompt goes into Claude Code's own queue`;
  return `To ${slug}`;
}
