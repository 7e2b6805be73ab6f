import type { App } from '../app.ts';
import { markedSessions } from '../lifecycle.ts';
import type { Mode } from '../mode.ts';
import { draftOf, selectedSession } from '../model.ts';
import { ANSWER_KEYS, TURN_KEYS } from './answer-keys.ts';
import { hintsOf, press } from './binding.ts';
import { type BrowseKey, isOffered } from './browse-key.ts';
import { OPEN_KEYS, OTHER_KEYS, SESSION_KEYS, VIEW_KEYS } from './browse-keys.ts';
import { MARKED_KEYS } from './marked-keys.ts';
import { reply } from './reply.ts';

const KEYS: readonly BrowseKey[] = [...[ANSWER_KEYS, SESSION_KEYS, TURN_KEYS, VIEW_KEYS, OPEN_KEYS, OTHER_KEYS].flat()];

/** The footer's order. The answers come first, then what the session's state suggests. The rest is always possible. */
const FOOTER = [
  ...['v', '.', 'y', 'n', 'a', 'A', '1', 'enter', 's'],
  ...[']', 'tab', 'W', 'r', 'i', 'c', 'o', 't', 'p', 'x', 'R'],
  ...['N', '/', 'f', 'q', 'S', ':', 'e', 'd', 'F', '?'],
];
const MARKED_FOOTER = [' ', ...MARKED_KEYS.flatMap(({ keys }) => keys[0] ?? []), 'escape', '?'];

/** The mode that shows the list and the selected session. It is active while no other mode is open. */
export function browse(app: App): Mode {
  const { model } = app;
  const isMarked = (): boolean => markedSessions(app).length > 0;
  const keys = (): readonly BrowseKey[] => (isMarked() ? [...MARKED_KEYS, ...KEYS] : KEYS);
  return {
    takesClicks: true,
    hints() {
      const offered = keys().filter((key) => isOffered(key, app));
      return hintsOf(offered, app, isMarked() ? MARKED_FOOTER : FOOTER);
    },
    handle(event) {
      if (event.kind === 'paste') reply(app, event.text);
      else if (event.kind === 'key') press(keys(), event.name, { of: app, toast: app.toast });
    },
    input() {
      const session = selectedSession(model);
      if (session === null) return undefined;
      return { title: '', mark: '> ', editor: draftOf(model, session.slug), isActive: false };
    },
  };
}
