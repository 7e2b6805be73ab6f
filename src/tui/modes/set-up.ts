import { isSetUpOpen, mayTrustSetUp, type RepositoryWorktrees, type SeenSession } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { pathText } from '../../text/session-words.ts';
import { commandText, ownSetUpText, SET_UP_FILE_WORDS, setUpStateText } from '../../text/set-up-words.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { confirmSkipSetUp, restartSession } from '../lifecycle.ts';
import { wrap } from '../view/cells.ts';
import type { Binding } from './binding.ts';
import { confirm } from './confirm.ts';
import { showPage } from './text-page.ts';

/** Runs `/set-up`, which shows the set-up of the selected session's repository, and `/set-up skip`. */
export function setUpByWords(app: App, session: SeenSession, words: string): void {
  const word = words.trim();
  if (word === 'skip') skip(app, session);
  else if (word === '') showSetUp(app, session);
  else app.toast('bad', `${cleanLine(word)}? — /set-up, or /set-up skip`);
}

function skip(app: App, session: SeenSession): void {
  if (isSetUpOpen(session)) confirmSkipSetUp(app, session);
  else app.toast('bad', `${session.slug} has no set-up that is still to run`);
}

function showSetUp(app: App, session: SeenSession): void {
  const path = session.worktree?.repository ?? session.path;
  if (path === null) {
    app.toast('bad', `${session.slug} has no folder`);
    return;
  }
  const before = app.mode();
  app.run(async () => {
    const [list] = await app.client.call('listWorktrees', { query: { path } });
    // If the user has opened something else in the meantime, further keypresses are meant for that.
    if (list !== undefined && app.mode() === before) openSetUp(app, session.slug, list);
  });
}

/**
 * Shows the command that prepares the worktrees of a repository, and the repository's own file unchanged. The user can
 * trust the file only once the end of the file has been visible. Only the content that was shown becomes trusted.
 */
function openSetUp(app: App, slug: string, list: RepositoryWorktrees): void {
  const { repository, set_up: file } = list;
  const name = pathText(repository, app.options.env.HOME);
  let isRead = false;
  const session = (): SeenSession | null => app.model.view.get(slug) ?? null;
  const isOpen = (): boolean => {
    const now = session();
    return now !== null && isSetUpOpen(now);
  };
  const mayRestart = (): boolean => isOpen() && session()?.status.primary === 'dead';
  const isTrustable = file !== null && mayTrustSetUp(file);
  const isTrusted = file?.state === 'trusted' || file?.state === 'changed';
  const trust = (): void => {
    if (!isRead) {
      app.toast('wait', 'Read the file to the end first');
      return;
    }
    confirm(app, {
      question: `Run this in every new worktree of ${name}?`,
      onYes: async () => {
        const body = { path: repository, sha256: file?.sha256 ?? '' };
        const trusted = await app.client.call('trustSetUp', { body });
        app.toast('good', `${commandText(trusted.command ?? '')} runs in each new worktree from now on`);
      },
    });
  };
  const untrust = (): void =>
    confirm(app, {
      question: `Stop trusting the set-up of ${name}?`,
      onYes: async () => {
        await app.client.call('untrustSetUp', { body: { path: repository } });
        app.toast('good', `the set-up of ${name} is no longer trusted`);
      },
    });
  const onSession = (act: (app: App, session: SeenSession) => void): void => {
    const now = session();
    app.close();
    if (now !== null) act(app, now);
  };
  const keys: Binding[] = [
    { keys: ['t'], does: 'trust it', applies: () => isTrustable, run: trust },
    { keys: ['r'], does: 'run it again', applies: mayRestart, run: () => onSession(restartSession) },
    { keys: ['s'], does: 'skip it', applies: isOpen, run: () => onSession(confirmSkipSetUp) },
    { keys: ['u'], does: 'stop trusting', applies: () => isTrusted, run: untrust },
  ];
  const lines = (cols: number): string[] => {
    const now = session();
    const state = now === null ? '' : setUpStateText(now, file);
    return [...(state === '' ? [''] : ['', state, '']), ...fileLines(list)]
      .flatMap((line) => wrap(line, Math.max(10, cols - 3)))
      .map((line) => `  ${line}`);
  };
  const onEnd = (): void => {
    isRead = true;
  };
  showPage(app, `Set-up of ${name}`, lines, { keys, onEnd });
}

/** Returns the set-up of a repository, line by line, with invisible characters shown as escapes. */
function fileLines(list: RepositoryWorktrees): string[] {
  const { set_up: file } = list;
  const own = ownSetUpText(list);
  if (file === null) {
    return [own === '' ? 'Nothing names a set-up for this repository; docs/guides/worktrees.md shows how.' : own];
  }
  const shown = (text: string): string[] => cleanBlock(showHiddenMarks(text)).trimEnd().split('\n');
  return [
    ...(own === '' ? [] : [own, '']),
    `${showHiddenMarks(file.path)}: ${SET_UP_FILE_WORDS[file.state] ?? file.state}`,
    ...(file.error === null ? [] : shown(file.error)),
    ...(file.command === null ? [] : ['', 'The command:', ...shown(file.command).map((line) => `  ${line}`)]),
    ...(file.content === null ? [] : ['', 'The whole file:', ...shown(file.content).map((line) => `  ${line}`)]),
  ];
}
