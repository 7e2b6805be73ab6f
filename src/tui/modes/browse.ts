import {
  answer,
  attach,
  chooseAlways,
  chooseOption,
  continueSession,
  interrupt,
  refresh,
  submitChosen,
} from '../actions.ts';
import { answerAgain } from '../answer-again.ts';
import { type App, moveSelection, requireOwn, requireSelected, scrollBack, selectNextNeedy } from '../app.ts';
import {
  confirmEnd,
  confirmNewConversation,
  lacksConversation,
  markedSessions,
  parkSession,
  restartSession,
  toggleMark,
} from '../lifecycle.ts';
import { ALERTS, draftOf, selectedSession, shownQuestion } from '../model.ts';
import { replay } from '../replay.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { browseHints } from './browse-hints.ts';
import { showChanges } from './changes.ts';
import { compareByWords } from './compare.ts';
import { replyOrFill } from './fill-form.ts';
import { editFilter } from './filter.ts';
import { finish } from './finish.ts';
import { cycleGrouping, toggleFold, unfoldAll } from './groups.ts';
import { showHelp } from './help.ts';
import { showInbox } from './inbox.ts';
import { OF_MARKED, OF_ONE } from './marked-keys.ts';
import type { InputBox, Mode } from './mode.ts';
import { newSession } from './new-session.ts';
import { goToQuestion, showQuestion } from './read-question.ts';
import { rename } from './rename.ts';
import { reply } from './reply.ts';
import { editSearch } from './search.ts';
import { setUpByWords } from './set-up.ts';
import { chooseSnooze, toggleUnread } from './snooze.ts';
import { showStash } from './stash.ts';

/** How many columns ← and → scroll if a session is wider than the pane. */
const SIDE_STEP = 8;
const PAGE_SESSIONS = 10;

/** The mode that shows the list and the selected session. It is active while no other mode is open. */
export function browse(app: App): Mode {
  const { model } = app;
  return {
    takesClicks: true,
    hints: () => browseHints(app),
    handle: (event) => handleBrowse(app, event),
    input(): InputBox | undefined {
      const session = selectedSession(model);
      if (session === null) return undefined;
      return { title: '', mark: '> ', editor: draftOf(model, session.slug), isActive: false };
    },
  } as Mode;
}

type Command = (app: App) => void;

const scrollRight = (app: App, cols: number): void => {
  app.model.scroll.right = Math.max(0, app.model.scroll.right + cols);
  app.changed();
};
const halfPane = (app: App): number => Math.max(1, Math.floor(app.paneSize().rows / 2));
/** `n` means "no" if the question can be answered with yes or no. Otherwise, it opens the form for a new session. */
function asksYesOrNo({ model }: App): boolean {
  const kind = shownQuestion(model)?.kind;
  return kind === 'permission' || kind === 'plan' || kind === 'setup' || kind === 'form';
}

const COMMANDS: Readonly<Record<string, Command>> = {
  j: (app) => moveSelection(app, 1),
  down: (app) => moveSelection(app, 1),
  k: (app) => moveSelection(app, -1),
  up: (app) => moveSelection(app, -1),
  g: (app) => moveSelection(app, Number.NEGATIVE_INFINITY),
  home: (app) => moveSelection(app, Number.NEGATIVE_INFINITY),
  G: (app) => moveSelection(app, Number.POSITIVE_INFINITY),
  end: (app) => moveSelection(app, Number.POSITIVE_INFINITY),
  J: (app) => moveSelection(app, PAGE_SESSIONS),
  K: (app) => moveSelection(app, -PAGE_SESSIONS),
  tab: selectNextNeedy,
  enter: (app) => {
    const session = selectedSession(app.model);
    if (session === null || !submitChosen(app, session)) replyOrFill(app);
  },
  s: replyOrFill,
  y: (app) => answer(app, { choice: 'yes' }, 'yes'),
  ' ': (app) => {
    const session = requireSelected(app);
    if (session === null) return;
    toggleMark(app, session);
    moveSelection(app, 1);
  },
  e: rename,
  n: (app) => (asksYesOrNo(app) ? answer(app, { choice: 'no' }, 'no') : newSession(app)),
  N: newSession,
  a: (app) => answer(app, { choice: 'always' }, 'always'),
  A: chooseAlways,
  '.': answerAgain,
  v: showQuestion,
  ']': (app) => goToQuestion(app, 1),
  '[': (app) => goToQuestion(app, -1),
  u: toggleUnread,
  Z: chooseSnooze,
  b: cycleGrouping,
  h: toggleFold,
  H: unfoldAll,
  i: interrupt,
  I: showInbox,
  c: continueSession,
  S: showStash,
  r: (app) => {
    const session = selectedSession(app.model);
    if (session?.status.primary === 'dead') restartSession(app, session);
    else if (session !== null && lacksConversation(session)) confirmNewConversation(app, session);
    else refresh(app);
  },
  x: (app) => {
    const session = requireSelected(app);
    if (session !== null) confirmEnd(app, session);
  },
  p: (app) => {
    const session = requireOwn(app);
    if (session !== null) parkSession(app, session);
  },
  t: attach,
  T: (app) => {
    const session = requireOwn(app);
    if (session === null || session.type === 'json') return;
    const asText = new Set(app.model.asText);
    if (!asText.delete(session.slug)) asText.add(session.slug);
    app.model.asText = asText;
    app.model.scroll = { back: 0, right: 0 };
    app.changed();
  },
  d: (app) => showChanges(app),
  f: editFilter,
  F: finish,
  C: (app) => compareByWords(app, ''),
  W: (app) => setUpByWords(app, ''),
  '/': editSearch,
  ':': (app) => reply(app, '/'),
  R: replay,
  '?': showHelp,
  q: (app) => app.quit(),
  'ctrl+c': (app) => app.quit(),
  z: (app) => {
    app.model.isZoomed = !app.model.isZoomed;
    app.changed();
  },
  o: (app) => {
    app.model.isUnfolded = !app.model.isUnfolded;
    app.changed();
  },
  m: (app) => {
    app.model.alerts = ALERTS[(ALERTS.indexOf(app.model.alerts) + 1) % ALERTS.length] ?? 'bell';
    const words = {
      bell: 'the bell rings',
      desktop: 'the bell rings and the desktop shows a notification',
      quiet: 'you are notified only by a line here',
    };
    app.toast('good', `${words[app.model.alerts]} when a session needs you or is done`);
  },
  U: (app) => {
    if (app.model.link.isUp) return app.toast('good', 'The server is up');
    app.toast('wait', 'starting the server…');
    app.run(() => app.host.startServer());
  },
  pageup: (app) => scrollBack(app, halfPane(app)),
  pagedown: (app) => scrollBack(app, -halfPane(app)),
  'ctrl+u': (app) => scrollBack(app, halfPane(app)),
  'ctrl+d': (app) => scrollBack(app, -halfPane(app)),
  right: (app) => scrollRight(app, SIDE_STEP),
  left: (app) => scrollRight(app, -SIDE_STEP),
  escape: (app) => {
    app.model.scroll = { back: 0, right: 0 };
    app.model.answer = null;
    if (app.model.filter === '') app.model.marked = new Set();
    app.model.filter = '';
    app.model.toast = null;
    app.changed();
  },
};

function handleBrowse(app: App, event: InputEvent): void {
  if (event.kind === 'focus' || event.kind === 'mouse') return;
  if (event.kind === 'key' && markedSessions(app).length > 0) {
    const command = OF_MARKED[event.name];
    if (command !== undefined) {
      command(app);
      return;
    }
    if (OF_ONE.has(event.name) || /^[1-9]$/.test(event.name)) {
      app.toast('wait', 'Some sessions are marked; Esc removes the marks');
      return;
    }
  }
  if (event.kind === 'paste') {
    reply(app, event.text);
    return;
  }
  if (/^[1-9]$/.test(event.name)) chooseOption(app, Number(event.name));
  else COMMANDS[event.name]?.(app);
}
