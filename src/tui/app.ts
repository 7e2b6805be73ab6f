import type { Client } from '../client/index.ts';
import { CatalogueError, elsewhereOf, type SeenSession } from '../protocol/index.ts';
import type { Style } from '../text/style.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { CommandSet } from './command-set.ts';
import type { TuiHost, TuiOptions } from './host.ts';
import type { Memories } from './memories.ts';
import type { Help, Mode } from './mode.ts';
import { listed, type Model, selectedSession, type Toast } from './model.ts';
import { nextNeedy } from './order.ts';

/** How long a toast is shown: long enough to read it twice. */
const TOAST_MS = 6_000;

/** What modes and actions have access to: the model, and the functions that change it. */
export interface App {
  readonly model: Model;
  readonly client: Client;
  readonly host: TuiHost;
  readonly options: TuiOptions;
  readonly dress: Style;
  readonly commands: CommandSet<App>;
  /** the sections of the help page */
  readonly help: Help;
  /** the user's earlier answers to questions */
  readonly memories: Memories;
  mode(): Mode;
  /** Opens a mode instead of the current one. */
  open(mode: Mode): void;
  /** Closes the current mode, which returns the user to browsing. */
  close(): void;
  select(slug: string | null): void;
  /** Requests a new picture. Call this after any change that affects the picture. */
  changed(): void;
  toast(tone: Toast['tone'], text: string): void;
  /**
   * Runs work that takes a while. If it fails with an expected error, the error is shown. Any other error ends the TUI.
   */
  run(work: () => Promise<void>): void;
  /** Hands the terminal over to another program while that program runs. */
  lendTerminal<T>(work: () => Promise<T>): Promise<T>;
  /** Requests the list and the screen of the selected session again. */
  refresh(): void;
  /** Sets whether the terminal reports the mouse. */
  useMouse(isOn: boolean): void;
  /** how many columns and rows a session has while no question is shown */
  paneSize(): { cols: number; rows: number };
  quit(): void;
}

/** Returns the selected session. If there is none, shows a message and returns null. */
export function requireSelected(app: App): SeenSession | null {
  const session = selectedSession(app.model);
  if (session === null) app.toast('bad', 'No session is selected — n creates one');
  return session;
}

/** Like {@link requireSelected}, but for actions that are possible only for sessions on this machine. */
export function requireOwn(app: App): SeenSession | null {
  const session = requireSelected(app);
  const elsewhere = session === null ? null : elsewhereOf(session);
  if (elsewhere === null) return session;
  app.toast('bad', `${session?.slug}: this works only on ${elsewhere.machine}`);
  return null;
}

type Act = (app: App, session: SeenSession, words: string) => void;

/** Returns an action on the selected session, for a key or for a command with its words. */
export const onSelected =
  (act: Act) =>
  (app: App, words: string): void => {
    const session = requireSelected(app);
    if (session !== null) act(app, session, words);
  };

/** Like {@link onSelected}, but for actions that are possible only for sessions on this machine. */
export const onOwn =
  (act: Act) =>
  (app: App, words: string): void => {
    const session = requireOwn(app);
    if (session !== null) act(app, session, words);
  };

/** Moves the selection up or down the list. */
export function moveSelection(app: App, step: number): void {
  const sessions = listed(app.model);
  const at = sessions.findIndex((session) => session.slug === app.model.selected);
  const next = sessions[Math.max(0, Math.min(sessions.length - 1, at === -1 ? 0 : at + step))];
  app.select(next?.slug ?? null);
}

/** Keeps the selection and the unsent text of a session that was renamed. */
export function noteRenamed({ model }: App, before: string, slug: string): void {
  if (model.selected === before) model.selected = slug;
  const draft = model.drafts.get(before);
  if (draft === undefined) return;
  model.drafts.delete(before);
  model.drafts.set(slug, draft);
}

/** @param lines how many lines to scroll back; a negative number scrolls towards the end */
export function scrollBack({ model, changed }: App, lines: number): void {
  model.scroll.back = Math.max(0, model.scroll.back + lines);
  changed();
}

export function selectNextNeedy(app: App): void {
  const next = nextNeedy(listed(app.model), app.model.selected);
  if (next === null) app.toast('good', 'No other session needs you');
  else app.select(next);
}

export function toastFor(tone: Toast['tone'], text: string, now: number): Toast {
  return { tone, text: cleanLine(text), until: now + TOAST_MS };
}

/** Formats an error as one line that also says what to do. @returns null for an unexpected error */
export function errorText(error: unknown, slug: string | null): string | null {
  if (!(error instanceof CatalogueError)) return null;
  const hint = slug === null ? error.hint : error.hint.replace(/\bSLUG\b/g, slug);
  return `${error.message} — ${hint}`;
}
