/**
 * The terminal UI.
 *
 * - keys: a table in `modes/browse-keys.ts`, and one in the file of each other mode; `commands.ts`, `input/editor.ts`
 * - the mouse, drawing, and actions on several sessions: `mouse.ts`, `view/draw.ts`, `lifecycle.ts`
 * - making a session's output safe for the terminal: `terminal/session-screen.ts`, `src/text/terminal-text.ts`
 */

import { type Dispose, EMPTY_VIEW, type SessionView, type StreamConnection } from '../client/index.ts';
import type { StreamFrame } from '../protocol/index.ts';
import { compareVersions } from './actions.ts';
import { alertCodes, alertsBetween } from './alerts.ts';
import { type App, errorText, moveSelection, noteRenamed, toastFor } from './app.ts';
import { commandSet } from './commands.ts';
import type { TuiOptions } from './host.ts';
import { createLooks } from './looks.ts';
import { createMemories } from './memories.ts';
import type { Mode } from './mode.ts';
import { createModel, isConversation, listed, noteDrawn, READING_MS, selectedSession, shownQuestion } from './model.ts';
import { browse } from './modes/browse.ts';
import { HELP } from './modes/help-sections.ts';
import { dropHeldAnswers } from './modes/inbox-hold.ts';
import { point } from './mouse.ts';
import { createPicturePace } from './picture-pace.ts';
import { createKeyReader, type InputEvent } from './terminal/keys.ts';
import { openOwnScreen } from './terminal/own-screen.ts';
import { createSurface } from './terminal/surface.ts';
import { type ContentViewport, type DrawnPicture, draw, measure } from './view/draw.ts';
import { dressFor } from './view/dress.ts';
import { createWatchedSession } from './watched-session.ts';

/** How often to repaint while nothing changes, because durations are shown in seconds. */
const CLOCK_MS = 1_000;

/**
 * Runs the terminal UI. It takes over the terminal and restores it at the end. Resolves to the exit code when the user
 * leaves, a signal arrives, or the terminal is gone.
 * @throws CatalogueError if the first connection could not be established
 */
export async function runTui(options: TuiOptions): Promise<number> {
  const tui = openTui(options);
  try {
    return await tui.ended;
  } finally {
    tui.dispose();
  }
}

function openTui(options: TuiOptions): { ended: Promise<number>; dispose(): void } {
  const { client, now, startTimer } = options;
  const hasColours = (options.env.NO_COLOR ?? '') === '';
  const dress = dressFor(hasColours);
  const model = createModel(now());
  const terminal = openOwnScreen(options);
  const surface = createSurface((text) => terminal.write(text));
  const disposers: Dispose[] = [];
  let connection: StreamConnection | null = null;
  let mode: Mode;
  let isLent = false;
  let isEnded = false;
  /** whether a keypress has changed the selection or the current part of a dialog since the last picture */
  let movedByKey = false;
  let stopReading: Dispose | null = null;
  /** returns the part of the interface that the last picture shows in a given cell */
  let targetAt: DrawnPicture['targetAt'] = () => null;
  let finish: (exitCode: number) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<number>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });

  const paint = (): void => {
    if (isLent || isEnded || !terminal.hasRoom()) return;
    pictures.notePainted();
    const content = {
      rows: (viewport: ContentViewport) => {
        const shown = watched.content({ ...viewport, hasColours, isUnfolded: model.isUnfolded });
        if (shown !== null) model.scroll.back = Math.min(model.scroll.back, shown.canGoBack);
        return shown ?? { rows: [], cursor: null, canGoBack: 0 };
      },
    };
    const size = terminal.size();
    const memory = memories.of(selectedSession(model), shownQuestion(model));
    const picture = draw({ model, mode, content, memory, size, now: now(), home: options.env.HOME, dress });
    surface.paint(picture);
    targetAt = picture.targetAt;
    if (mode.page === undefined) noteQuestion(picture);
    looks.note(model, mode);
  };
  const noteQuestion = ({ isQuestionWhole: isWhole, hasSuggestion }: DrawnPicture): void => {
    const before = model.drawn;
    noteDrawn(model, { now: now(), hasMoved: movedByKey, isWhole, hasSuggestion });
    movedByKey = false;
    if (model.drawn === before) return;
    // Repaint when keys begin to answer the question, so that the hints list them.
    stopReading?.();
    const { answerableFrom, suggestedSince } = model.drawn;
    const readAt = suggestedSince === null ? answerableFrom : Math.max(answerableFrom, suggestedSince + READING_MS);
    stopReading = startTimer(changed, Math.max(0, readAt - now()));
  };
  const changed = (): void => {
    if (!isEnded) pictures.ask();
  };
  /** On an unexpected error, end the TUI and restore the terminal instead of leaving a frozen screen. */
  const guarded =
    <A extends unknown[]>(work: (...args: A) => void) =>
    (...args: A): void => {
      try {
        work(...args);
      } catch (error) {
        fail(error);
      }
    };
  const pictures = createPicturePace(options, guarded(paint));
  const app: App = {
    model,
    client,
    host: options.host,
    options,
    dress,
    commands: commandSet,
    help: HELP,
    get memories() {
      return memories;
    },
    mode: () => mode,
    open(next) {
      mode = next;
      // A user who opens something has read the toast, so the title of the new mode replaces it.
      model.toast = null;
      changed();
    },
    close() {
      mode = browse(app);
      changed();
    },
    select(slug) {
      if (slug !== model.selected) {
        model.scroll = { back: 0, right: 0 };
        model.answer = null;
      }
      model.selected = slug;
      watched.watch(selectedSession(model));
      changed();
    },
    changed,
    toast(tone, text) {
      model.toast = toastFor(tone, text, now());
      changed();
    },
    run(work) {
      work().catch((error: unknown) => {
        const text = errorText(error, model.selected);
        if (text === null) fail(error);
        else app.toast('bad', text);
      });
    },
    async lendTerminal(work) {
      isLent = true;
      looks.stop();
      terminal.leave();
      try {
        return await work();
      } finally {
        isLent = false;
        if (!isEnded) {
          terminal.enter();
          surface.forget();
          changed();
        }
      }
    },
    refresh() {
      connection?.send({ type: 'list_sessions' });
      watched.restart();
      surface.forget();
      changed();
    },
    useMouse(isOn) {
      model.hasMouse = isOn;
      terminal.useMouse(isOn);
      changed();
    },
    paneSize() {
      const { cols, rows } = measure(model, terminal.size()).frame.pane;
      return { cols, rows: Math.max(1, rows - 1) };
    },
    quit: () => finish(0),
  };
  mode = browse(app);
  const looks = createLooks({ client, startTimer, now });
  const memories = createMemories({ client, run: app.run, onChange: changed });
  const watched = createWatchedSession({
    client,
    connection: () => connection,
    dress,
    onChanged: changed,
    run: app.run,
  });

  const takeView = (frame: StreamFrame, currentView: () => SessionView): void => {
    const before = model.view;
    const view = currentView();
    watched.onFrame(frame);
    mode.onFrame?.(frame);
    if (frame.type === 'sessions' && !model.link.isUp) {
      model.link = { isUp: true, since: now() };
      compareVersions(app);
    }
    if (view === before && frame.type !== 'sessions') return;
    model.view = view;
    if (frame.type === 'session_renamed') noteRenamed(app, frame.session, frame.slug);
    // Selects the first waiting session at the start, and whenever the selected session is gone.
    if (selectedSession(model) === null && listed(model).length > 0) moveSelection(app, 0);
    else watched.watch(selectedSession(model));
    for (const { text } of alertsBetween(before, view, model)) {
      if (!isLent) terminal.write(alertCodes(model.alerts, text));
      app.toast('wait', text);
    }
    changed();
  };
  const handle = (event: InputEvent): void => {
    if (event.kind === 'focus') model.hasFocus = event.hasFocus;
    if (event.kind === 'key' && event.name === 'ctrl+l') surface.forget();
    if (event.kind === 'key' && event.name === 'ctrl+z') {
      app.run(() => app.lendTerminal(options.host.suspend));
      return;
    }
    pictures.noteKey();
    const { selected, answer, asked } = model;
    if (event.kind === 'mouse') point(app, event, targetAt(event.row, event.col));
    else mode.handle(event);
    if (model.selected !== selected || model.answer !== answer || model.asked !== asked) movedByKey = true;
    readOn();
    changed();
  };

  /** The messages of a terminal session are in a file, and nothing reports changes to it, so the file is read again. */
  const readOn = (): void => {
    const session = selectedSession(model);
    if (!model.link.isUp) return;
    watched.watch(session);
    watched.readAsText(
      session !== null && session.type === 'screen' && isConversation(model, session) ? session.slug : null,
    );
  };
  const tick = (): void => {
    readOn();
    changed();
    stopClock = startTimer(tick, CLOCK_MS);
  };
  let stopClock = startTimer(tick, CLOCK_MS);
  const keys = createKeyReader({ onEvent: guarded(handle), startTimer });
  disposers.push(
    () => stopClock(),
    () => pictures.dispose(),
    () => dropHeldAnswers(app),
    () => stopReading?.(),
    () => keys.dispose(),
    options.onInterrupt(finish),
    terminal.onInput(guarded((bytes) => keys.feed(bytes))),
    terminal.onChange((what) => {
      if (what === 'resized') surface.forget();
      changed();
    }),
    terminal.onGone(() => finish(0)),
    () => connection?.dispose(),
    () => watched.dispose(),
    () => looks.stop(),
    () => terminal.leave(),
  );
  app.useMouse(options.env.CBOS_MOUSE !== 'off');
  terminal.enter();
  paint();
  connection = client.subscribe({
    startTimer,
    fleet: { now },
    listener: {
      onFrame: guarded(takeView),
      onLost: () => {
        if (connection !== null) model.view = connection.view();
        if (model.link.isUp || model.view === EMPTY_VIEW) model.link = { isUp: false, since: now() };
        changed();
      },
      onReconnected: () => {
        watched.onReconnected();
        app.toast('good', 'the server is back');
      },
      onEnd: fail,
    },
  });
  return {
    ended,
    dispose() {
      isEnded = true;
      for (const dispose of disposers) dispose();
    },
  };
}
