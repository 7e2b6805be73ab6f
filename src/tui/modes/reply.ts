import { elsewhereOf, type SeenSession, type StashedResponse, type StreamFrame } from '../../protocol/index.ts';
import { sendText, stashText } from '../actions.ts';
import { type App, requireSelected } from '../app.ts';
import { type Editor, EMPTY_EDITOR, edit, editorOf, insert } from '../input/editor.ts';
import type { Hint } from '../mode.ts';
import { dialogOf, draftOf, type Model, selectedSession } from '../model.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { type Binding, keysFor } from './binding.ts';
import { confirm } from './confirm.ts';

/** The prompts that were sent earlier, newest first, and the user's position among them. */
function createHistory() {
  let texts: readonly string[] = [];
  /** -1 stands for the text that the user is writing now */
  let at = -1;
  let draft = EMPTY_EDITOR;
  return {
    isEmpty: () => texts.length === 0,
    fill(sent: readonly string[]): void {
      texts = [...new Set(sent)];
    },
    /** Moves by a step. @returns what to show instead of the text now; undefined if there is nothing further */
    step(by: number, now: Editor): Editor | undefined {
      const next = at + by;
      const recalled = texts[next];
      if (next < -1 || (next >= 0 && recalled === undefined)) return undefined;
      if (at === -1) draft = now;
      at = next;
      return recalled === undefined ? draft : editorOf(recalled);
    },
  };
}

/**
 * Opens the input for the selected session. The user can write a prompt, an answer in words, or a command after `/`.
 * The text belongs to the session, and is kept if the user selects another session.
 * @param added text to insert at the cursor
 */
export function reply(app: App, added = ''): void {
  const session = selectedSession(app.model);
  // If no session is selected, only commands make sense.
  if (session === null && added !== '/') {
    requireSelected(app);
    return;
  }
  const box = createBox(app, session, added);
  const keys = keysFor(REPLY_KEYS, { of: box, toast: app.toast, order: FOOTER, otherwise: box.type });
  app.open({
    ...keys,
    hints() {
      const hints = keys.hints();
      return [...hints.slice(0, -1), ...(box.commands() ?? []), ...hints.slice(-1)];
    },
    onFrame: box.onFrame,
    input: box.input,
  });
}

/**
 * Returns why the text cannot be sent now, because the session has asked something since the user began to write.
 * @param meantFor the id of the question that the text is meant for; null if it is meant for the prompt
 */
function refusalOf(model: Model, to: SeenSession, meantFor: string | null): string | null {
  const open = dialogOf(model, to);
  if ((open?.id ?? null) === meantFor) return null;
  if (open === null) return `The question of ${to.slug} is no longer open`;
  return meantFor === null ? `${to.slug} now asks something` : `${to.slug} now asks something else`;
}

/** Creates the text that the user writes, and what its keys do. */
function createBox(app: App, session: SeenSession | null, added: string) {
  const { model } = app;
  let slug = session?.slug ?? '';
  /** the question that the text is meant for; null if it is meant for the prompt */
  const meantFor = session === null ? null : (dialogOf(model, session)?.id ?? null);
  const history = createHistory();
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
      history.fill(deliveries.map((delivery) => delivery.text));
    });

  /** Returns the current state of the session, which may have asked something by now, or may have been deleted. */
  const current = (): SeenSession | null => model.view.get(slug) ?? null;

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
      const refusal = queue || command ? null : refusalOf(model, to, meantFor);
      if (refusal === null) sendText(app, to, { text: typed, queue, command });
      else app.toast('wait', `${refusal}; your text was not sent — s opens it again`);
    }
  };

  const keep = (when: StashedResponse['when']): void => {
    const to = current();
    if (to === null || text().trim() === '') return;
    app.close();
    stashText(app, to, { text: text(), when });
  };

  return {
    ...{ text, submit, write, keep, leave },
    /** the commands that begin with the text, or null if the text is not a command */
    commands: (): Hint[] | null => (/^\/\S*$/.test(text()) ? app.commands.matching(text()) : null),
    hasHistory: () => !history.isEmpty(),
    isElsewhere() {
      const to = current();
      return to !== null && elsewhereOf(to) !== null;
    },
    editOutside: () =>
      app.run(async () => {
        const edited = await app.lendTerminal(() => app.host.editText(text()));
        write(editorOf(edited.replace(/\n$/, '')));
      }),
    complete() {
      const completed = app.commands.complete(text());
      if (completed !== null) write(editorOf(completed));
    },
    /** Moves the cursor by a row. If there is no further row, it recalls an earlier or later prompt. */
    upOrDown(name: string) {
      const moved = edit(draftOf(model, slug), { kind: 'key', name, text: '' });
      const shown = moved ?? history.step(name === 'up' ? 1 : -1, draftOf(model, slug));
      if (shown !== undefined) write(shown);
    },
    insertLine: () => write(insert(draftOf(model, slug), '\n')),
    type(event: InputEvent) {
      const edited = edit(draftOf(model, slug), event);
      if (edited !== null) write(edited);
    },
    onFrame(frame: StreamFrame) {
      if (frame.type === 'session_renamed' && frame.session === slug) slug = frame.slug;
    },
    input: () => ({
      ...{ title: titleFor(model, current(), text()), mark: '> ' },
      ...{ editor: draftOf(model, slug), isActive: true },
    }),
  };
}

type ReplyBox = ReturnType<typeof createBox>;

/** Returns the words of a hint for a text that is not a command. */
const ofProse =
  (does: string) =>
  (box: ReplyBox): string | null =>
    box.commands() === null ? does : null;

const refuseDraft = (box: ReplyBox): string | null =>
  box.isElsewhere() ? 'Drafts work only for sessions on this machine' : null;

type Rest = Omit<Binding<ReplyBox>, 'keys' | 'help'>;
const key = (name: string, help: string, rest: Rest): Binding<ReplyBox> => ({ keys: [name], help, ...rest });

export const REPLY_KEYS: readonly Binding<ReplyBox>[] = [
  {
    keys: ['enter'],
    does: (box) => (box.commands() === null ? 'send' : 'run'),
    helpKeys: 's Enter',
    help: 'start writing; Enter sends',
    run: (box) => box.submit(false),
  },
  {
    keys: ['alt+enter', 'shift+enter', 'ctrl+j'],
    does: ofProse('new line'),
    help: 'start a new line; also Ctrl+J',
    run: (box) => box.insertLine(),
  },
  key('ctrl+s', 'keep the text as a draft; S shows the drafts', {
    does: ofProse('draft'),
    disabled: refuseDraft,
    run: (box) => box.keep('manual'),
  }),
  key('alt+s', 'keep the text as a queued draft, which is sent as soon as the session is ready', {
    does: ofProse('queued draft'),
    disabled: refuseDraft,
    run: (box) => box.keep('next_waiting'),
  }),
  key('ctrl+q', 'queue the text: CBOS holds it until the session is ready', {
    does: ofProse('queue'),
    run: (box) => box.submit(true),
  }),
  key('ctrl+g', 'write the text in your own editor ($VISUAL, $EDITOR)', {
    does: ofProse('editor'),
    run: (box) => box.editOutside(),
  }),
  {
    keys: ['up', 'down'],
    does: (box) => (box.hasHistory() ? ofProse('before')(box) : null),
    helpKeys: '↑ ↓',
    help: 'recall earlier prompts',
    run: (box, key) => box.upOrDown(key),
  },
  key('escape', 'leave the input; your text stays', { does: 'leave', run: (box) => box.leave() }),
  { keys: ['ctrl+c'], run: (box) => (box.text() === '' ? box.leave() : box.write(EMPTY_EDITOR)) },
  { keys: ['tab'], does: (box) => (box.commands() === null ? null : 'complete'), run: (box) => box.complete() },
];
const FOOTER = ['enter', 'tab', 'alt+enter', 'ctrl+s', 'ctrl+q', 'escape', 'up', 'ctrl+g', 'alt+s'];

function titleFor(model: Model, session: SeenSession | null, text: string): string {
  if (session === null || text.startsWith('/')) return 'Command';
  const { slug, status } = session;
  if (text.startsWith('!')) return `Shell command for ${slug}`;
  if (dialogOf(model, session) !== null) return `Answer ${slug} in your own words`;
  if (status.primary === 'active' || status.primary === 'stuck')
    return `To ${slug}, which is working: the prompt goes into Claude Code's own queue`;
  return `To ${slug}`;
}
