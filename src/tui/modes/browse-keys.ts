import { elsewhereOf, isCurrent, isReady, isSetUpOpen, needsYou, type SeenSession } from '../../protocol/index.ts';
import { isFinishable } from '../../text/worktree-words.ts';
import { attach, refresh } from '../actions.ts';
import { type App, moveSelection, onOwn, onSelected, scrollBack, selectNextNeedy } from '../app.ts';
import {
  confirmEnd,
  confirmNewConversation,
  isParked,
  lacksConversation,
  markedSessions,
  parkSession,
  restartSession,
  toggleMark,
} from '../lifecycle.ts';
import { ALERTS, isConversation, listed, selectedSession } from '../model.ts';
import { replay } from '../replay.ts';
import { takesNo } from './answer-keys.ts';
import { type BrowseKey, key, ofOne, ofRunning, ofSelected } from './browse-key.ts';
import { showChanges } from './changes.ts';
import { compareByWords } from './compare.ts';
import { editFilter } from './filter.ts';
import { finish } from './finish.ts';
import { cycleGrouping, toggleFold, unfoldAll } from './groups.ts';
import { showHelp } from './help.ts';
import { showInbox } from './inbox.ts';
import { newSession } from './new-session.ts';
import { rename } from './rename.ts';
import { reply } from './reply.ts';
import { editSearch } from './search.ts';
import { setUpByWords } from './set-up.ts';
import { chooseSnooze, toggleUnread } from './snooze.ts';
import { showStash } from './stash.ts';

const PAGE_SESSIONS = 10;
const [FIRST, LAST] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const STEPS: Readonly<Record<string, number>> = {
  ...{ j: 1, down: 1, k: -1, up: -1 },
  ...{ J: PAGE_SESSIONS, K: -PAGE_SESSIONS },
  ...{ g: FIRST, home: FIRST, G: LAST, end: LAST },
};

/** The keys that affect the list and its sessions. */
export const SESSION_KEYS: readonly BrowseKey[] = [
  {
    keys: Object.keys(STEPS),
    helpKeys: 'j k ↓ ↑',
    help: 'next, previous; J K move by ten, g G to the first and last',
    run: (app, key) => moveSelection(app, STEPS[key] ?? 0),
  },
  key('tab', 'the next session that needs you', {
    far: 'any',
    does: ofSelected(({ slug }, { model }) => {
      const others = listed(model).filter((other) => other.slug !== slug && isCurrent(other) && needsYou(other));
      return others.length === 0 ? null : `next of ${others.length}`;
    }),
    run: selectNextNeedy,
  }),
  key('I', 'the inbox: one question at a time, identical ones together; u takes back an answer within 3 s', {
    run: showInbox,
  }),
  key('f', 'filter the list; Esc shows all sessions again', { far: 'any', does: 'filter', run: editFilter }),
  {
    keys: ['N', 'n'],
    far: 'any',
    label: 'n',
    does: (app) => (takesNo(app) ? null : 'new'),
    help: 'create a session (N while a yes-or-no question is open)',
    run: (app) => newSession(app),
  },
  key('x', 'stop it; delete it if it is stopped', {
    far: 'end',
    does: ofSelected(({ status, elsewhere }) => {
      if (status.primary !== 'dead') return 'stop';
      return elsewhere === undefined ? 'delete' : null;
    }),
    run: onSelected(confirmEnd),
  }),
  key('p', 'park it, so that it has no process until its next prompt; wake it if it is parked', {
    does: ofRunning((session) => {
      if (isParked(session)) return 'wake';
      return session.type === 'screen' && session.adopted && isReady(session.status) ? 'park' : null;
    }),
    run: onOwn(parkSession),
  }),
  key('r', 'restart it if it is stopped; otherwise refresh', {
    far: 'launch',
    does: ofSelected((session) => {
      if (session.status.primary === 'dead') return 'restart';
      return lacksConversation(session) ? 'new conversation' : null;
    }),
    run(app) {
      const session = selectedSession(app.model);
      if (session?.status.primary === 'dead') restartSession(app, session);
      else if (session !== null && lacksConversation(session)) confirmNewConversation(app, session);
      else refresh(app);
    },
  }),
  ofOne('e', 'rename it', { does: ofSelected(() => 'rename'), run: onOwn(rename) }),
  ofOne('u', 'mark the session as unread, or as read', { run: onOwn(toggleUnread) }),
  key('b', 'group the list by need, by repository, by tag, or not at all', { run: cycleGrouping }),
  { keys: ['h'], helpKeys: 'h, H', help: 'fold its group; fold every group; unfold every group', run: toggleFold },
  { keys: ['H'], run: unfoldAll },
  ofOne('Z', 'snooze it: silence it until a time or an event', { run: onOwn(chooseSnooze) }),
  ofOne('F', 'finish its worktree: merge it, keep its branch, or discard it', {
    does: ofSelected((session) => (isFinishable(session) ? 'finish' : null)),
    run: finish,
  }),
  ofOne('W', "the set-up of its worktree: read and trust the repository's own file, run the set-up again, or skip it", {
    does: ofSelected((session) => (isSetUpOpen(session) ? 'set-up' : null)),
    run: onOwn((app, session) => setUpByWords(app, session, '')),
  }),
  key(' ', 'mark it; s then writes to all marked sessions, and i, r and x interrupt, restart and stop them', {
    far: 'any',
    does: (app) => (markedSessions(app).length > 0 ? 'mark' : null),
    run: onSelected((app, session) => {
      toggleMark(app, session);
      moveSelection(app, 1);
    }),
  }),
  key('/', 'search everything that sessions said and showed', { far: 'any', does: 'search', run: editSearch }),
];

const ALERT_WORDS = {
  bell: 'the bell rings',
  desktop: 'the bell rings and the desktop shows a notification',
  quiet: 'you are notified only by a line here',
};

function changeAlerts(app: App): void {
  const { model } = app;
  model.alerts = ALERTS[(ALERTS.indexOf(model.alerts) + 1) % ALERTS.length] ?? 'bell';
  app.toast('good', `${ALERT_WORDS[model.alerts]} when a session needs you or is done`);
}

export const OTHER_KEYS: readonly BrowseKey[] = [
  key('m', 'change how you are notified when a session needs you or is done: bell, bell and desktop, or not at all', {
    run: changeAlerts,
  }),
  key('U', 'start the server if it is not running', {
    run(app) {
      if (app.model.link.isUp) return app.toast('good', 'The server is up');
      app.toast('wait', 'starting the server…');
      app.run(() => app.host.startServer());
    },
  }),
  {
    keys: ['q', 'ctrl+c'],
    far: 'any',
    does: 'quit',
    help: 'quit; the server and the sessions keep running. Ctrl+Z returns to the shell, and fg comes back',
    run: (app) => app.quit(),
  },
  { keys: ['S'], far: 'any', does: 'drafts', run: showStash },
  { keys: [':'], far: 'any', does: 'command', run: (app) => reply(app, '/') },
  { keys: ['?'], far: 'any', does: 'help', run: showHelp },
  {
    keys: ['escape'],
    far: 'any',
    does: (app) => (markedSessions(app).length > 0 ? 'no marks' : null),
    run(app) {
      const { model } = app;
      model.scroll = { back: 0, right: 0 };
      model.answer = null;
      if (model.filter === '') model.marked = new Set();
      model.filter = '';
      model.toast = null;
    },
  },
];

/** How many columns ← and → scroll if a session is wider than the pane. */
const SIDE_STEP = 8;

const halfPane = (app: App): number => Math.max(1, Math.floor(app.paneSize().rows / 2));

const SCROLLS: Readonly<Record<string, (app: App) => void>> = {
  pageup: (app) => scrollBack(app, halfPane(app)),
  pagedown: (app) => scrollBack(app, -halfPane(app)),
  'ctrl+u': (app) => scrollBack(app, halfPane(app)),
  'ctrl+d': (app) => scrollBack(app, -halfPane(app)),
  right: (app) => scrollRight(app, SIDE_STEP),
  left: (app) => scrollRight(app, -SIDE_STEP),
};

function scrollRight({ model }: App, cols: number): void {
  model.scroll.right = Math.max(0, model.scroll.right + cols);
}

/** Switches between the terminal and the conversation of a session. */
function toggleConversation({ model }: App, { slug, type }: SeenSession): void {
  if (type === 'json') return;
  const asText = new Set(model.asText);
  if (!asText.delete(slug)) asText.add(slug);
  model.asText = asText;
  model.scroll = { back: 0, right: 0 };
}

/** Reports whether the user can attach to a session. A JSON session gets a terminal only on its own machine. */
const hasTerminal = (session: SeenSession): boolean =>
  session.screen_id !== null || (session.type === 'json' && elsewhereOf(session) === null);

/** The keys that change what the pane shows of the selected session. */
export const VIEW_KEYS: readonly BrowseKey[] = [
  {
    keys: Object.keys(SCROLLS),
    helpKeys: 'PgUp PgDn',
    help: 'scroll back; ← → scroll sideways; Esc goes to the end',
    run: (app, key) => SCROLLS[key]?.(app),
  },
  key('z', 'show only the session, without the list', {
    run({ model }) {
      model.isZoomed = !model.isZoomed;
    },
  }),
  key('T', 'switch between terminal and conversation', { run: onOwn(toggleConversation) }),
  key('o', 'in a conversation: show all tool output, or fold it', {
    does: ofRunning((session, { model }) => {
      if (!isConversation(model, session)) return null;
      return model.isUnfolded ? 'fold' : 'unfold';
    }),
    run({ model }) {
      model.isUnfolded = !model.isUnfolded;
    },
  }),
  ofOne('d', 'show what it changed in its repository; ] and [ go to the next and previous file', {
    does: ofSelected(() => 'changes'),
    run: (app) => showChanges(app),
  }),
];

/** The keys that show a session elsewhere: next to others, in its own terminal, or as a replay. */
export const OPEN_KEYS: readonly BrowseKey[] = [
  key('C', 'compare the marked sessions, or the selected one and the other attempts at its task (NAME-1, NAME-2)', {
    run: (app) => compareByWords(app, ''),
  }),
  ofOne('t', 'attach to its real terminal; Ctrl-A d returns', {
    far: 'see',
    does: ofRunning((session) => (hasTerminal(session) ? 'attach' : null)),
    run: onSelected(attach),
  }),
  key('R', "replay the session's recording; f shows the files as they were at that moment", {
    does: ofSelected(({ status }) => (status.primary === 'dead' ? 'replay' : null)),
    run: onOwn(replay),
  }),
];
