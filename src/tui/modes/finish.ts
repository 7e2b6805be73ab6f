import { CatalogueError, type FinishHow, type FinishPreview, type Session } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import {
  conflictFiles,
  conflictPrompt,
  FINISH_CHOICES,
  finishedLines,
  finishNotes,
  finishQuestion,
  isFinishable,
} from '../../text/worktree-words.ts';
import { sendText } from '../actions.ts';
import { type App, errorText, requireOwn } from '../app.ts';
import { EMPTY_EDITOR } from '../input/editor.ts';
import type { Hint } from '../mode.ts';
import { wrap } from '../view/cells.ts';
import { confirm } from './confirm.ts';
import { requestPull } from './pull-request.ts';

/** Asks the user how to finish the selected session's worktree, and says what will happen before doing anything. */
export function finish(app: App): void {
  const session = requireOwn(app);
  if (session === null) return;
  const { slug } = session;
  if (!isFinishable(session)) {
    app.toast('bad', `${slug} has no worktree to finish — n creates a session in one`);
    return;
  }
  const asking = app.mode();
  app.toast('wait', `looking at the worktree of ${slug}…`);
  app.run(async () => {
    const preview = await app.client.call('previewFinish', { params: { slug }, query: {} });
    // If the user has opened something else in the meantime, keypresses are meant for that.
    if (app.mode() === asking && app.model.selected === slug) choose(app, session, preview);
  });
}

/** This choice does not merge anything, so it is not one of the ways to finish. */
const REQUEST = { key: 'p', verb: 'Request', about: 'open a pull request (gh or glab); the worktree stays' };

function choose(app: App, session: Session, preview: FinishPreview): void {
  const notes = finishNotes(preview, 'merge').map(cleanLine);
  // An older server does not report conflicts.
  const { conflicts = [] }: Partial<FinishPreview> = preview;
  const handOver: readonly Hint[] = conflicts.length > 0 ? [['h', 'let the session resolve the conflict']] : [];
  app.open({
    hints: () => [
      [[...FINISH_CHOICES, REQUEST].map(({ key }) => key).join(' '), 'choose'],
      ...handOver,
      ['Esc', 'leave'],
    ],
    page: (cols) => ({
      title: `Finish ${cleanLine(session.slug)}`,
      rows: [
        '',
        ...[...FINISH_CHOICES, REQUEST].map(
          ({ key, verb, about }) =>
            `   ${app.dress('bold', key)}   ${verb.padEnd(8)} ${app.dress('dim', truncate(about, Math.max(0, cols - 18)))}`,
        ),
        '',
        ...notes.flatMap((note) => wrap(note, Math.max(10, cols - 4))).map((row) => `   ${row}`),
      ],
    }),
    handle(event) {
      // The mouse wheel also sends these keys.
      if (event.kind !== 'key' || event.name === 'up' || event.name === 'down') return;
      app.close();
      const chosen = FINISH_CHOICES.find(({ key }) => key === event.name);
      if (event.name === REQUEST.key) requestPull(app, session);
      else if (chosen !== undefined) ask(app, session, { preview, how: chosen.how });
      else if (event.name === 'h' && conflicts.length > 0) askToHandOver(app, session, conflicts);
    },
    input: () => ({ title: '', mark: `Finish ${session.slug} by `, editor: EMPTY_EDITOR, isActive: true }),
  });
}

function ask(app: App, session: Session, { preview, how }: { preview: FinishPreview; how: FinishHow }): void {
  const notes = finishNotes(preview, how);
  confirm(app, {
    question: `${FINISH_CHOICES.find((choice) => choice.how === how)?.verb} ${session.slug}?`,
    about: [finishQuestion(session, how, { on: preview.on }), ...notes].map(cleanLine).join('\n'),
    onYes: () => finishBy(app, session, how),
  });
}

function finishBy(app: App, session: Session, how: FinishHow): void {
  const { slug } = session;
  app.toast('wait', `finishing ${slug}…`);
  app.run(async () => {
    try {
      const finished = await app.client.call('finishSession', { params: { slug }, body: { how, stop: true } });
      app.toast('good', finishedLines(finished).join('; '));
    } catch (error) {
      const files = error instanceof CatalogueError ? conflictFiles(error) : null;
      if (files === null) throw error;
      app.toast('bad', errorText(error, slug) ?? '');
      askToHandOver(app, session, files);
    }
  });
}

/** Offers to send the session a prompt that asks it to resolve the conflict. */
function askToHandOver(app: App, session: Session, files: readonly string[]): void {
  const text = conflictPrompt(session.worktree?.base ?? null, files);
  confirm(app, {
    question: `Send this to ${session.slug}?`,
    about: text,
    onYes: () => sendText(app, session, { text, queue: true }),
  });
}
