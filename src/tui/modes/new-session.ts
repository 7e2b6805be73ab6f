import { isSlug, type NewSession, type NewWorktree, type SessionType } from '../../protocol/index.ts';
import { displayWidth } from '../../text/display-width.ts';
import { pathText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { type Editor, EMPTY_EDITOR, edit, editorOf, layoutEditor } from '../input/editor.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { fitTo } from '../view/cells.ts';
import type { Page } from './mode.ts';

const FIELDS = ['name', 'folder', 'type', 'prompt', 'worktree', 'branch', 'from'] as const;
type Field = (typeof FIELDS)[number];
/** Fields that offer a choice instead of accepting text. */
type Choice = 'worktree' | 'type';
const isChoice = (field: Field): field is Choice => field === 'worktree' || field === 'type';

/** The size limits. In a smaller terminal, Claude Code cannot draw everything, and nobody can read a larger one. */
const [LEAST_SIZE, MOST_SIZE] = [
  { cols: 80, rows: 24 },
  { cols: 200, rows: 60 },
];
const LABEL_CELLS = 10;

interface Form {
  field: Field;
  texts: Record<Exclude<Field, Choice>, Editor>;
  /** whether the folder is a suggestion, shown as selected text; typing replaces it, and moving the cursor keeps it */
  isProposed: boolean;
  type: SessionType;
  /** whether the session gets its own git worktree */
  inWorktree: boolean;
  /** folders that begin with the text in the field */
  folders: readonly string[];
  /** the index of the chosen folder; -1 if none is chosen */
  chosen: number;
  /** whether the folders have been requested from the server and have not arrived yet */
  isLookingUp: boolean;
  /** whether Tab was pressed before the folders arrived; it takes effect as soon as they are known */
  tabWaits: boolean;
}

/** Shows the form for a new session. The server completes the folder, because the folder is on the server's machine. */
export function newSession(app: App, name = ''): void {
  const home = app.options.env.HOME;
  const form: Form = {
    field: 'name',
    texts: {
      name: editorOf(name),
      folder: editorOf(pathText(app.options.cwd, home)),
      branch: EMPTY_EDITOR,
      from: EMPTY_EDITOR,
      prompt: EMPTY_EDITOR,
    },
    isProposed: true,
    type: 'screen',
    inWorktree: false,
    folders: [],
    chosen: -1,
    isLookingUp: false,
    tabWaits: false,
  };
  const goTo = (step: number): void => {
    const fields = fieldsOf(form);
    form.field = fields[(fields.indexOf(form.field) + step + fields.length) % fields.length] ?? 'name';
    app.changed();
  };
  const lookUpFolders = (): void => {
    const asked = form.texts.folder.text;
    const isLast = (): boolean => form.texts.folder.text === asked;
    form.isLookingUp = true;
    app.run(async () => {
      try {
        const { folders } = await app.client.call('completeFolder', { query: { path: asked } });
        // The text has changed since the request, so the answer is useless.
        if (isLast()) {
          form.folders = folders.map((folder) => pathText(folder, home));
          form.chosen = -1;
        }
      } finally {
        if (isLast()) {
          form.isLookingUp = false;
          if (form.tabWaits) completeOrGoOn();
          app.changed();
        }
      }
    });
  };
  /** @returns false if there is nothing to complete */
  const completeFolder = (): boolean => {
    const [first] = form.folders;
    const typed = form.texts.folder.text;
    // If the field contains a complete folder, this moves to the next field. To choose a folder inside it, a person
    // types a slash first.
    if (first === undefined || typed.endsWith('/') || form.folders.includes(typed)) return false;
    let end = first.length;
    while (!form.folders.every((folder) => folder.startsWith(first.slice(0, end)))) end--;
    const completed = first.slice(0, end);
    if (completed.length <= typed.length) return false;
    form.texts.folder = editorOf(completed);
    form.isProposed = false;
    lookUpFolders();
    return true;
  };
  const completeOrGoOn = (): void => {
    form.tabWaits = false;
    if (!takeChosen() && !completeFolder()) goTo(1);
  };
  /**
   * Puts the chosen folder into the field with a trailing slash, so that the folders inside it are offered next.
   * @returns false if none is chosen
   */
  const takeChosen = (): boolean => {
    const folder = form.folders[form.chosen];
    if (form.field !== 'folder' || folder === undefined) return false;
    form.texts.folder = editorOf(`${folder}/`);
    form.isProposed = false;
    form.folders = [];
    form.chosen = -1;
    lookUpFolders();
    return true;
  };
  /** Moves among the offered folders, and past them to the next field. */
  const choose = (step: 1 | -1): void => {
    const next = form.chosen + step;
    const most = Math.min(form.folders.length, MOST_FOLDERS_SHOWN);
    if (form.field !== 'folder' || next >= most || next < -1) {
      form.chosen = -1;
      goTo(step);
    } else form.chosen = next;
  };

  const keys: Readonly<Record<string, () => void>> = {
    escape: () => app.close(),
    'ctrl+c': () => app.close(),
    enter: () => {
      if (!takeChosen()) create(app, form, home);
    },
    tab: () => {
      if (form.field !== 'folder') goTo(1);
      else if (form.isLookingUp) form.tabWaits = true;
      else completeOrGoOn();
    },
    down: () => choose(1),
    'shift+tab': () => goTo(-1),
    up: () => choose(-1),
  };
  const write = (event: InputEvent): void => {
    if (isChoice(form.field)) {
      const isOther = event.kind === 'key' && [' ', 'left', 'right'].includes(event.name);
      if (isOther && form.field === 'type') form.type = form.type === 'screen' ? 'json' : 'screen';
      else if (isOther) form.inWorktree = !form.inWorktree;
      return;
    }
    if (form.field === 'folder') replaceProposal(form, event);
    const editor = form.texts[form.field];
    const isNewLine = form.field === 'prompt' && event.kind === 'key' && ['alt+enter', 'ctrl+j'].includes(event.name);
    form.texts[form.field] = edit(editor, isNewLine ? { kind: 'paste', text: '\n' } : event) ?? editor;
    if (form.field === 'folder' && form.texts.folder.text !== editor.text) {
      form.folders = [];
      lookUpFolders();
    }
  };
  const handleKey = (event: InputEvent): void => {
    const key = event.kind === 'key' ? keys[event.name] : undefined;
    form.tabWaits = false;
    if (key === undefined) write(event);
    else key();
    app.changed();
  };

  app.open({
    hints: () => [
      ['Enter', form.chosen >= 0 ? 'use this folder' : 'launch'],
      ...(form.field === 'folder' && form.folders.length > 0 ? ([['↓', 'choose']] as const) : []),
      ['Tab', form.field === 'folder' && (form.isLookingUp || form.folders.length > 0) ? 'complete' : 'next field'],
      ...(form.field === 'type' ? ([['Space', 'choose the other type']] as const) : []),
      ...(form.field === 'worktree' ? ([['Space', form.inWorktree ? 'no worktree' : 'a worktree']] as const) : []),
      ['Esc', 'leave'],
    ],
    handle: handleKey,
    page: (cols, rows) => formPage(app, form, { cols, rows }),
  });
  lookUpFolders();
}

/** Returns the fields that are shown. The branch is shown only for a worktree. */
function fieldsOf({ inWorktree }: Form): Field[] {
  return FIELDS.filter((field) => inWorktree || (field !== 'branch' && field !== 'from'));
}

function worktreeBody({ texts }: Form): NewWorktree {
  const [branch, from] = [texts.branch.text.trim(), texts.from.text.trim()];
  return { ...(branch === '' ? {} : { branch }), ...(from === '' ? {} : { from }) };
}

/** This works like any field whose text is selected. */
function replaceProposal(form: Form, event: InputEvent): void {
  if (!form.isProposed || event.kind === 'focus' || event.kind === 'mouse') return;
  form.isProposed = false;
  const isErasing = event.kind === 'key' && ['backspace', 'delete'].includes(event.name);
  if (event.text !== '' || isErasing) form.texts.folder = EMPTY_EDITOR;
}

function create(app: App, form: Form, home: string | undefined): void {
  const slug = form.texts.name.text.trim();
  if (!isSlug(slug)) {
    form.field = 'name';
    app.toast('bad', 'A name has 1 to 64 letters, digits, - and _, and starts with a letter or digit');
    return;
  }
  const prompt = form.texts.prompt.text.trim();
  const typed = form.texts.folder.text.trim();
  const path = home !== undefined && /^~(\/|$)/.test(typed) ? `${home}${typed.slice(1)}` : typed;
  const body: NewSession = {
    slug,
    path: path === '' ? '.' : path,
    type: form.type,
    ...(form.type === 'screen' ? sizeFor(app.paneSize()) : {}),
    ...(form.inWorktree ? { worktree: worktreeBody(form) } : {}),
    ...(prompt === '' ? {} : { prompt }),
  };
  app.toast('wait', `launching ${slug}…`);
  app.run(async () => {
    await app.client.call('createSession', { body });
    app.close();
    app.select(slug);
    app.toast('good', `${slug} was launched`);
  });
}

/** Returns the size at which the session will be shown here, so that nothing is cut off. */
function sizeFor({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  return {
    cols: Math.min(MOST_SIZE.cols, Math.max(LEAST_SIZE.cols, cols)),
    rows: Math.min(MOST_SIZE.rows, Math.max(LEAST_SIZE.rows, rows)),
  };
}

const ABOUT_TYPES: Readonly<Record<SessionType, string>> = {
  screen: 'interactive Claude Code in GNU Screen',
  json: 'structured events, without a terminal',
};

function choiceWords({ type, inWorktree }: Form, field: Choice): [word: string, about: string] {
  if (field === 'type') return [type, ABOUT_TYPES[type]];
  return inWorktree
    ? ['yes', 'a git worktree, on this branch; empty: named after the session']
    : ['no', 'it works in the folder itself'];
}

function formPage(app: App, form: Form, { cols, rows }: { cols: number; rows: number }): Page {
  const { dress } = app;
  const width = Math.max(10, cols - LABEL_CELLS - 5);
  const lines: string[] = [''];
  let cursor: { row: number; col: number } | null = null;
  for (const field of fieldsOf(form)) {
    const isHere = form.field === field;
    const label = dress(isHere ? 'bold' : 'dim', `${isHere ? '▌' : ' '} ${fitTo(field, LABEL_CELLS)}`);
    if (isChoice(field)) {
      const [word, about] = choiceWords(form, field);
      lines.push(
        `${label} ${dress(isHere ? 'inverse' : null, word)}  ${dress('dim', fitTo(about, width - 10).trimEnd())}`,
      );
      continue;
    }
    const { rows: written, cursor: at } = layoutEditor(form.texts[field], width);
    if (isHere) cursor = { row: lines.length + at.row, col: LABEL_CELLS + 3 + at.col };
    for (const [index, row] of written.entries()) {
      lines.push(`${index === 0 ? label : ' '.repeat(LABEL_CELLS + 2)} ${row}`);
    }
    if (field === 'folder' && isHere && form.isProposed) {
      lines.splice(lines.length - written.length, written.length, `${label} ${dress('inverse', written.join(''))}`);
    }
    if (field === 'folder' && isHere) {
      const offered = folderLines(form.folders, width);
      lines.push(...offered.map((row, index) => dress(index === form.chosen ? 'inverse' : 'dim', row)));
    }
  }
  return { title: 'A new session', rows: lines.slice(0, rows), cursor };
}

/** How many folders are shown. Nobody looks further down, and typing another letter shortens the list. */
const MOST_FOLDERS_SHOWN = 6;

function folderLines(folders: readonly string[], width: number): string[] {
  const indent = ' '.repeat(LABEL_CELLS + 3);
  const shown = folders
    .slice(0, MOST_FOLDERS_SHOWN)
    .map((folder) => `${indent}${fitTo(cleanLine(folder), width).trimEnd()}`);
  const more = folders.length - shown.length;
  return more > 0 ? [...shown, `${indent}… ${more} more`] : shown.filter((row) => displayWidth(row) > 0);
}
