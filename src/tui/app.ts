import type { Client } from '../client/index.ts';
import { CatalogueError, type Session } from '../protocol/index.ts';
import type { Style } from '../text/style.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { CommandSet } from './command-set.ts';
import type { TuiHost, TuiOptions } from './host.ts';
import { listed, type Model, selectedSession, type Toast } from './model.ts';
import type { Mode } from './modes/mode.ts';
import { nextNeedy } from './order.ts';

/** Long enough to be read twice. */
const TOAST_MS = 6_000;

/** What modes and actions work with: the model, and what changes it. */
export interface App {
  readonly model: Model;
  readonly client: Client;
  readonly host: TuiHost;
  readonly options: TuiOptions;
  readonly dress: Style;
  readonly commands: CommandSet<App>;
  mode(): Mode;
  /** Opens a mode instead of the one that is open. */
  open(mode: Mode): void;
  /** Goes back to browsing. */
  close(): void;
  select(slug: string | null): void;
  /** Something of the picture has changed. */
  changed(): void;
  toast(tone: Toast['tone'], text: string): void;
  /** Does something that takes a while; what it throws and was to be expected is said, anything else ends the TUI. */
  run(work: () => Promise<void>): void;
  /** Gives the terminal to another program for as long as that runs. */
  lendTerminal<T>(work: () => Promise<T>): Promise<T>;
  /** Asks for the list and the session's screen anew. */
  refresh(): void;
  /** Whether the terminal tells of the mouse from now on. */
  useMouse(isOn: boolean): void;
  /** the cells that a session has when nothing is asked */
  paneSize(): { cols: number; rows: number };
  quit(): void;
}

/** The person's session, told when there is none. */
export function requireSelected(app: App): Session | null {
  const session = selectedSession(app.model);
  if (session === null) app.toast('bad', 'No session is selected — n makes one');
  return session;
}

/** Moves the selection up or down the list. */
export function moveSelection(app: App, step: number): void {
  const sessions = listed(app.model);
  const at = sessions.findIndex((session) => session.slug === app.model.selected);
  const next = sessions[Math.max(0, Math.min(sessions.length - 1, at === -1 ? 0 : at + step))];
  app.select(next?.slug ?? null);
}

/** @param lines back from the end; negative: towards it */
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

/** An error in a line, with its cure. @returns null for an error that nobody expected */
export function errorText(error: unknown, slug: string | null): string | null {
  if (!(error instanceof CatalogueError)) return null;
  const hint = slug === null ? error.hint : error.hint.replace(/\bSLUG\b/g, slug);
  return `${error.message} — ${hint}`;
}
