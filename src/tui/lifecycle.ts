import { CatalogueError, elsewhereOf, type SeenSession, type Session } from '../protocol/index.ts';
import { KEEP_OTHER_ABOUT, keepsOther, NEW_CONVERSATION_ABOUT } from '../text/missing-words.ts';
import { commandText, SKIP_SET_UP_ABOUT } from '../text/set-up-words.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { forkedText } from '../text/worktree-words.ts';
import { type App, requireOwn } from './app.ts';
import { listed } from './model.ts';
import { confirm } from './modes/confirm.ts';
import { showPage } from './modes/text-page.ts';
import { wrap } from './view/cells.ts';

/** Asks for confirmation, then stops a running session or deletes a stopped one. */
export function confirmEnd(app: App, session: SeenSession): void {
  const { slug } = session;
  if (isStopped(session) && requireOwn(app) === null) return;
  confirm(app, {
    question: isStopped(session) ? `Delete ${slug}?` : `Stop ${slug} and everything that it runs?`,
    onYes: () => endSession(app, session),
  });
}

function endSession(app: App, session: Session): void {
  const { slug } = session;
  const isDead = isStopped(session);
  app.toast('wait', `${isDead ? 'deleting' : 'stopping'} ${slug}…`);
  app.run(async () => {
    await app.client.call(isDead ? 'deleteSession' : 'killSession', { params: { slug } });
    app.toast('good', isDead ? `${slug} deleted` : `${slug} stopped; press x again to delete it`);
  });
}

/** Parks a running session, or wakes a parked one. */
export function parkSession(app: App, session: Session): void {
  const { slug } = session;
  const wakes = isParked(session);
  app.toast('wait', `${wakes ? 'waking' : 'parking'} ${slug}…`);
  app.run(async () => {
    await app.client.call(wakes ? 'wakeSession' : 'parkSession', { params: { slug } });
    app.toast('good', wakes ? `${slug} is awake` : `${slug} parked; the next prompt wakes it`);
  });
}

/** An older server does not support parked sessions. */
export const isParked = ({ parked_at: at }: Partial<Pick<Session, 'parked_at'>>): boolean => (at ?? null) !== null;

/**
 * Restarts a stopped session, which resumes its conversation. If the conversation is gone, offers to begin a new one.
 */
export function restartSession(app: App, session: Session): void {
  const { slug } = session;
  app.toast('wait', `restarting ${slug}…`);
  app.run(async () => {
    try {
      await app.client.call('restartSession', { params: { slug } });
      app.toast('good', `${slug} restarted`);
    } catch (error) {
      if (!(error instanceof CatalogueError) || error.code !== 'no_such_conversation') throw error;
      confirmNewConversation(app, session);
    }
  });
}

/** Asks for confirmation, then begins a new conversation in a session whose own is gone, or was not continued. */
export function confirmNewConversation(app: App, session: Session): void {
  const { slug, other_conversation: other } = session;
  const what = other === undefined ? 'is gone' : 'was not continued';
  const isKept = keepsOther(session);
  confirm(app, {
    question: `The conversation of ${slug} ${what}. ${isKept ? 'Keep the new one?' : 'Begin a new one?'}`,
    about: isKept ? KEEP_OTHER_ABOUT : NEW_CONVERSATION_ABOUT,
    onYes: async () => {
      await app.client.call('restartSession', { params: { slug }, query: { new_conversation: 'true' } });
      app.toast('good', `${slug} has a new conversation`);
    },
  });
}

/** Reports whether a session needs a decision about its conversation before it can continue. */
export const lacksConversation = ({ missing_conversation: missing, status }: Session): boolean =>
  missing !== undefined && status.primary !== 'dead';

/** Asks for confirmation, then lets Claude Code start without the set-up of the session's worktree. */
export function confirmSkipSetUp(app: App, { slug, worktree }: Session): void {
  confirm(app, {
    question: `Skip the set-up of ${slug}?`,
    about: [SKIP_SET_UP_ABOUT, commandText(worktree?.set_up?.command ?? '')].join('\n\n'),
    onYes: async () => {
      const session = await app.client.call('skipSetUp', { params: { slug } });
      app.toast('good', `${slug} starts without its set-up${isStopped(session) ? ' — r restarts it' : ''}`);
    },
  });
}

export function renameSession(app: App, { slug }: Session, name: string): void {
  app.run(async () => {
    await app.client.call('patchSession', { params: { slug }, body: { slug: name } });
    app.select(name);
    app.toast('good', `${slug} is now called ${name}`);
  });
}

const SAME_FOLDER = '--same-folder';

/** Forks a session: a new session continues a copy of its conversation. */
export function forkSession(app: App, { slug }: Session, words: string): void {
  const [name, ...flags] = words.split(/\s+/).filter((word) => word !== '');
  if (name === undefined || flags.some((flag) => flag !== SAME_FOLDER)) {
    app.toast('bad', `No name given — /fork NAME [${SAME_FOLDER}]`);
    return;
  }
  app.toast('wait', `forking ${slug}…`);
  app.run(async () => {
    const body = { slug: name, ...(flags.length === 0 ? {} : { same_folder: true }) };
    const fork = await app.client.call('forkSession', { params: { slug }, body });
    app.select(fork.slug);
    app.toast('good', forkedText(slug, fork));
  });
}

/**
 * Returns the marked sessions that are visible in the list. No action may affect a session that the user cannot see.
 */
export function markedSessions({ model }: Pick<App, 'model'>): SeenSession[] {
  return listed(model).filter(({ slug }) => model.marked.has(slug));
}

/** Marks a session, or unmarks it if it is already marked. */
export function toggleMark({ model, changed }: Pick<App, 'model' | 'changed'>, { slug }: Session): void {
  const marked = new Set(model.marked);
  if (!marked.delete(slug)) marked.add(slug);
  model.marked = marked;
  changed();
}

/** An action that is applied to each of several sessions. */
interface Deed {
  /** the verb with which the question begins, such as `Stop` */
  verb: string;
  done: string;
  isFor(session: SeenSession): boolean;
  run(app: App, slug: string): Promise<unknown>;
}

const isStopped = ({ status }: Session): boolean => status.primary === 'dead';

const STOP: Deed = {
  verb: 'Stop',
  done: 'stopped',
  isFor: (session) => !isStopped(session),
  run: (app, slug) => app.client.call('killSession', { params: { slug } }),
};
const DELETE: Deed = {
  verb: 'Delete',
  done: 'deleted',
  isFor: (session) => isStopped(session) && elsewhereOf(session) === null,
  run: (app, slug) => app.client.call('deleteSession', { params: { slug } }),
};
const RESTART: Deed = {
  verb: 'Restart',
  done: 'restarted',
  isFor: isStopped,
  run: (app, slug) => app.client.call('restartSession', { params: { slug } }),
};
const INTERRUPT: Deed = {
  verb: 'Interrupt',
  done: 'interrupted',
  isFor: ({ status }) => status.primary === 'active' || status.primary === 'stuck',
  run: (app, slug) => app.client.call('interrupt', { params: { slug } }),
};

/** Stops the marked sessions that are running. If all of the marked sessions are stopped, deletes them. */
export function endMarked(app: App): void {
  doWithMarked(app, markedSessions(app).every(isStopped) ? DELETE : STOP);
}
export const restartMarked = (app: App): void => doWithMarked(app, RESTART);
export const interruptMarked = (app: App): void => doWithMarked(app, INTERRUPT);

/**
 * Asks for confirmation with a list of the sessions' names, runs the action, and shows the outcome for each session.
 */
function doWithMarked(app: App, { verb, done, isFor, run }: Deed): void {
  const slugs = markedSessions(app)
    .filter(isFor)
    .map(({ slug }) => slug);
  if (slugs.length === 0) {
    app.toast('bad', `${verb}: none of the marked sessions`);
    return;
  }
  confirm(app, {
    question: `${verb} ${slugs.length === 1 ? slugs[0] : `these ${slugs.length} sessions`}?`,
    about: slugs.map(cleanLine).join(', '),
    onYes: () =>
      reportEach(app, `${verb} ${slugs.length}`, slugs, async (slug) => {
        await run(app, slug);
        return `${slug}: ${done}`;
      }),
  });
}

/**
 * Runs an action for all sessions in parallel, and shows a line for each. @param run runs the action for one session,
 * and returns the outcome
 */
export function reportEach(
  app: App,
  title: string,
  slugs: readonly string[],
  run: (slug: string) => Promise<string>,
): void {
  app.toast('wait', `${title}…`);
  app.run(async () => {
    const lines = await Promise.all(
      slugs.map(async (slug) => {
        try {
          return await run(slug);
        } catch (error) {
          if (!(error instanceof CatalogueError)) throw error;
          return `${slug}: ${error.message} — ${error.hint.replace(/\bSLUG\b/g, slug)}`;
        }
      }),
    );
    app.model.marked = new Set();
    showPage(app, title, (cols) => lines.flatMap((line) => wrap(cleanLine(line), cols - 2)).map((row) => ` ${row}`));
  });
}
