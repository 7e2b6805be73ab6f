import { launchSeveral } from '../../client/launch-several.ts';
import { isSlug, type NewSession, type Session } from '../../protocol/index.ts';
import { pathText } from '../../text/session-words.ts';
import { setUpNotice } from '../../text/set-up-words.ts';
import type { App } from '../app.ts';
import { EMPTY_EDITOR, edit, editorOf } from '../input/editor.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { type Binding, keysFor } from './binding.ts';
import { createFolders } from './complete-folder.ts';
import {
  changeChoice,
  type Form,
  fieldsOf,
  isChoice,
  MOST_OFFERED,
  matchingFree,
  offeredIn,
  readFree,
  timesOf,
  worktreeBody,
} from './new-session-fields.ts';
import { formPage } from './new-session-page.ts';

/**
 * The minimum and maximum sizes. In a smaller terminal, Claude Code cannot draw everything, and a larger one is hard to
 * read.
 */
const [LEAST_SIZE, MOST_SIZE] = [
  { cols: 80, rows: 24 },
  { cols: 200, rows: 60 },
];
/**
 * Shows the form for a new session. The server completes the folder's path, because the folder is on the server's
 * machine.
 */
export function newSession(app: App, name = ''): void {
  const page = createPage(app, emptyForm(app, name));
  const keys = keysFor(KEYS, { of: page, toast: app.toast, otherwise: page.write });
  app.open({
    ...keys,
    handle(event) {
      page.form.tabWaits = false;
      keys.handle(event);
    },
    page: (cols, rows) => formPage(app, page.form, { cols, rows }),
  });
  page.lookUpFolders();
}

function emptyForm({ options }: App, name: string): Form {
  return {
    field: 'name',
    texts: {
      name: editorOf(name),
      folder: editorOf(pathText(options.cwd, options.env.HOME)),
      branch: EMPTY_EDITOR,
      from: EMPTY_EDITOR,
      prompt: EMPTY_EDITOR,
    },
    isProposed: true,
    type: 'screen',
    inWorktree: false,
    times: 1,
    folders: [],
    free: [],
    existing: null,
    chosen: -1,
    isLookingUp: false,
    tabWaits: false,
  };
}

/** Creates what the keys of the form do. */
function createPage(app: App, form: Form) {
  const home = app.options.env.HOME;
  const goTo = (step: number): void => {
    const fields = fieldsOf(form);
    form.field = fields[(fields.indexOf(form.field) + step + fields.length) % fields.length] ?? 'name';
    form.chosen = -1;
    if (form.field === 'branch') lookUpWorktrees();
    app.changed();
  };
  const lookUpWorktrees = (): void => {
    const path = folderOf(form, home);
    app.run(async () => {
      const free = await readFree(app, path);
      if (path !== folderOf(form, home)) return;
      form.free = free;
      app.changed();
    });
  };
  const { lookUp: lookUpFolders, complete: completeFolder } = createFolders(app, form, () => completeOrGoOn());
  const completeOrGoOn = (): void => {
    form.tabWaits = false;
    if (!takeChosen() && !completeFolder()) goTo(1);
  };
  /**
   * Puts the chosen folder into its field, with a trailing slash, so that the folders inside it are offered next. If a
   * worktree was chosen, puts its branch into the field for the branch.
   * @returns false if the user has not chosen a folder or worktree
   */
  const takeChosen = (): boolean => {
    const worktree = form.field === 'branch' ? matchingFree(form)[form.chosen] : undefined;
    if (worktree !== undefined) {
      form.texts.branch = editorOf(worktree.branch);
      form.existing = worktree.branch;
      form.chosen = -1;
      return true;
    }
    const folder = form.folders[form.chosen];
    if (form.field !== 'folder' || folder === undefined) return false;
    form.texts.folder = editorOf(`${folder}/`);
    form.isProposed = false;
    form.folders = [];
    form.chosen = -1;
    lookUpFolders();
    return true;
  };
  /** Moves through the folders or worktrees on offer, and then to the next field. */
  const choose = (step: 1 | -1): void => {
    const next = form.chosen + step;
    const most = Math.min(offeredIn(form).length, MOST_OFFERED);
    if (next >= most || next < -1) {
      form.chosen = -1;
      goTo(step);
    } else form.chosen = next;
  };

  const write = (event: InputEvent): void => {
    if (isChoice(form.field)) return;
    if (form.field === 'branch') form.chosen = -1;
    if (form.field === 'folder') replaceProposal(form, event);
    const editor = form.texts[form.field];
    form.texts[form.field] = edit(editor, event) ?? editor;
    if (form.field === 'folder' && form.texts.folder.text !== editor.text) {
      form.folders = [];
      lookUpFolders();
    }
  };
  return {
    ...{ form, goTo, choose, lookUpFolders, write },
    close: () => app.close(),
    submit() {
      if (!takeChosen()) create(app, form, home);
    },
    complete() {
      if (form.field !== 'folder') {
        if (!takeChosen()) goTo(1);
      } else if (form.isLookingUp) form.tabWaits = true;
      else completeOrGoOn();
    },
  };
}

const KEYS: readonly Binding<ReturnType<typeof createPage>>[] = [
  { keys: ['enter'], does: ({ form }) => submitHint(form), run: (page) => page.submit() },
  {
    keys: ['down', 'up'],
    does: ({ form }) => (offeredIn(form).length > 0 ? 'choose' : null),
    run: (page, key) => page.choose(key === 'down' ? 1 : -1),
  },
  {
    keys: ['tab'],
    does: ({ form: { field, isLookingUp, folders } }) =>
      field === 'folder' && (isLookingUp || folders.length > 0) ? 'complete' : 'next field',
    run: (page) => page.complete(),
  },
  { keys: ['shift+tab'], run: (page) => page.goTo(-1) },
  {
    keys: [' ', 'right', 'left'],
    label: ({ form }) => (form.field === 'times' ? '→ ←' : 'Space'),
    does: ({ form }) => choiceHint(form),
    applies: ({ form }) => isChoice(form.field),
    run: ({ form }, key) => changeChoice(form, key),
  },
  {
    keys: ['ctrl+j', 'alt+enter'],
    applies: ({ form }) => form.field === 'prompt',
    run: (page) => page.write({ kind: 'paste', text: '\n' }),
  },
  { keys: ['escape', 'ctrl+c'], does: 'leave', run: (page) => page.close() },
];

function submitHint({ chosen, field }: Form): string {
  if (chosen < 0) return 'launch';
  return field === 'folder' ? 'use this folder' : 'use this worktree';
}

/** Returns what the keys of a field with choices do. */
function choiceHint({ field, inWorktree }: Form): string {
  if (field === 'type') return 'choose the other type';
  if (field === 'times') return 'more or fewer';
  return inWorktree ? 'no worktree' : 'a worktree';
}

/** The suggestion behaves like the selected text of any other field. */
function replaceProposal(form: Form, event: InputEvent): void {
  if (!form.isProposed || event.kind === 'focus' || event.kind === 'mouse') return;
  form.isProposed = false;
  const isErasing = event.kind === 'key' && ['backspace', 'delete'].includes(event.name);
  if (event.text !== '' || isErasing) form.texts.folder = EMPTY_EDITOR;
}

/** Returns the path of the folder, with `~` expanded. */
function folderOf({ texts }: Form, home: string | undefined): string {
  const typed = texts.folder.text.trim();
  const path = home !== undefined && /^~(\/|$)/.test(typed) ? `${home}${typed.slice(1)}` : typed;
  return path === '' ? '.' : path;
}

function create(app: App, form: Form, home: string | undefined): void {
  const slug = form.texts.name.text.trim();
  if (!isSlug(slug)) {
    form.field = 'name';
    app.toast('bad', 'A name has 1 to 64 letters, digits, - and _, and starts with a letter or digit');
    return;
  }
  const prompt = form.texts.prompt.text.trim();
  const body: NewSession = {
    slug,
    path: folderOf(form, home),
    type: form.type,
    ...(form.type === 'screen' ? sizeFor(app.paneSize()) : {}),
    ...(form.inWorktree ? { worktree: worktreeBody(form) } : {}),
    ...(prompt === '' ? {} : { prompt }),
  };
  const times = timesOf(form);
  app.toast('wait', `launching ${slug}…`);
  app.run(async () => {
    const launched: Session[] = [];
    const onLaunched = (session: Session): void => void launched.push(session);
    try {
      if (times > 1) await launchSeveral(app.client, body, { times, onLaunched });
      else onLaunched(await app.client.call('createSession', { body }));
    } finally {
      // If a later launch fails, the sessions before it are already running.
      const [first] = launched;
      if (first !== undefined) {
        app.close();
        app.select(first.slug);
        tellLaunched(app, launched);
      }
    }
  });
}

function tellLaunched(app: App, launched: readonly Session[]): void {
  const [first] = launched;
  const names = launched.map((one) => one.slug).join(', ');
  if (first?.worktree?.set_up?.state === 'untrusted') app.toast('bad', setUpNotice(first));
  else app.toast('good', launched.length === 1 ? `${names} was launched` : `${names} were launched; C compares them`);
}

/** Returns the size of the space in which the session will be shown, so that nothing is cut off. */
function sizeFor({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  return {
    cols: Math.min(MOST_SIZE.cols, Math.max(LEAST_SIZE.cols, cols)),
    rows: Math.min(MOST_SIZE.rows, Math.max(LEAST_SIZE.rows, rows)),
  };
}
