import { elsewhereOf, type Right, type SeenSession } from '../../protocol/index.ts';
import type { App } from '../app.ts';
import { markedSessions } from '../lifecycle.ts';
import { selectedSession } from '../model.ts';
import type { Binding } from './binding.ts';

/** A key that works while the list and the selected session are shown. */
export interface BrowseKey extends Binding {
  /**
   * the right that the key requires for a session on another machine, or `any` if the key does not affect the selected
   * session; if omitted, the key works only for sessions on this machine
   */
  far?: Right | 'any';
}

/**
 * Returns why the keys are disabled that would answer a single session's question or write to a single session: a user
 * who marks sessions wants to act on all of them.
 */
export const notWhileMarked = (app: App): string | null =>
  markedSessions(app).length > 0 ? 'Some sessions are marked; Esc removes the marks' : null;

type Rest = Omit<BrowseKey, 'keys' | 'help'>;

/** Returns the row of a key that the help page describes. */
export const key = (name: string, help: string, rest: Rest): BrowseKey => ({ keys: [name], help, ...rest });

/** Like {@link key}, for a key that affects only the selected session. */
export const ofOne = (name: string, help: string, rest: Rest): BrowseKey =>
  key(name, help, { ...rest, disabled: notWhileMarked });

/** Reports whether a key works for the selected session, which may be on another machine. If not, no hint shows it. */
export function isOffered({ far }: BrowseKey, app: App): boolean {
  const session = selectedSession(app.model);
  const elsewhere = session === null ? null : elsewhereOf(session);
  return elsewhere === null || far === 'any' || (far !== undefined && elsewhere.may.includes(far));
}

type Words = string | null;

/** Returns the words of a hint about the selected session. */
export const ofSelected =
  (does: (session: SeenSession, app: App) => Words) =>
  (app: App): Words => {
    const session = selectedSession(app.model);
    return session === null ? null : does(session, app);
  };

/** Like {@link ofSelected}, but only for a session that is not stopped. */
export const ofRunning = (does: (session: SeenSession, app: App) => Words): ((app: App) => Words) =>
  ofSelected((session, app) => (session.status.primary === 'dead' ? null : does(session, app)));
