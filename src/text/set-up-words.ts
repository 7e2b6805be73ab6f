import type { ProjectSetUp, RepositoryWorktree, RepositoryWorktrees, Session, SetUp } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { shellWord } from './shell-word.ts';
import { cleanLine } from './terminal-text.ts';

/**
 * Returns the state of a set-up and what the user can do about it, or an empty string if there is nothing to report.
 */
export function setUpText(session: Pick<Session, 'slug' | 'status' | 'worktree'>): string {
  return `${setUpStateText(session)}${cureOf(session)}`;
}

/**
 * Returns the progress of a set-up, for places that offer buttons or keys to fix a failed one. Returns an empty string
 * if there is nothing to report.
 * @param file the repository's own file as it is now, if it is known
 */
export function setUpStateText(
  { status, worktree }: Pick<Session, 'status' | 'worktree'>,
  file: Pick<ProjectSetUp, 'state'> | null = null,
): string {
  const setUp = worktree?.set_up;
  if (setUp === undefined) return '';
  const command = commandText(setUp.command);
  const isDead = status.primary === 'dead';
  switch (setUp.state) {
    case 'pending':
      return `${command} runs at the next start`;
    case 'running':
      return isDead ? `${command} did not finish` : `${command} is running; Claude Code starts after it`;
    case 'done':
      return `${command} is done`;
    case 'failed':
      return `${command} ${failedText(setUp)}${afterFailure(setUp, isDead)}`;
    case 'untrusted':
      return file?.state === 'trusted'
        ? `${command} did not run; the set-up is trusted now, and runs when the session starts again`
        : `${command} did not run, because nobody has trusted it`;
    case 'skipped':
      return `${command} was skipped`;
  }
}

const failedText = ({ exit_code: code }: SetUp): string =>
  code === null ? 'did not end on its own' : `ended with exit code ${code}`;

/** The next prompt starts a JSON session again, and with it the set-up. */
function afterFailure({ after_failure: after }: SetUp, isDead: boolean): string {
  if (after === 'start') return '; Claude Code was started anyway';
  return isDead ? '' : '; the next prompt runs it again';
}

function cureOf({ slug, status, worktree }: Pick<Session, 'slug' | 'status' | 'worktree'>): string {
  const setUp = worktree?.set_up;
  const isDead = status.primary === 'dead';
  switch (setUp?.state) {
    case 'running':
      return isDead ? `; cbos restart ${slug} runs it again` : '';
    case 'failed':
      if (setUp.after_failure === 'start') return '';
      return `${isDead ? `; cbos restart ${slug} runs it again` : ''}, cbos worktrees skip ${slug} skips it`;
    case 'untrusted':
      return `: cbos worktrees trust ${cleanLine(worktree?.repository ?? '')}`;
    default:
      return '';
  }
}

/** Returns a command on one line, with invisible characters shown as escapes. */
export function commandText(command: string): string {
  // In the other order, an escape sequence would be removed together with the text inside it, which /bin/sh runs.
  return cleanLine(showHiddenMarks(command));
}

/**
 * Says what the user should know right after a session was launched in a worktree: either that its set-up is running,
 * or why it is not.
 */
export function setUpNotice(session: Pick<Session, 'slug' | 'status' | 'worktree'>): string {
  const state = session.worktree?.set_up?.state;
  return state === 'done' || state === 'skipped' ? '' : setUpText(session);
}

/** The state of a repository's own file about its worktrees. */
export const SET_UP_FILE_WORDS: Readonly<Record<ProjectSetUp['state'], string>> = {
  trusted: 'trusted',
  untrusted: 'not trusted',
  changed: 'changed since it was trusted',
  broken: 'not valid',
};

/**
 * Says which set-up in config.toml takes precedence over the repository's own file. Returns an empty string if there is
 * none.
 */
export function ownSetUpText({ own }: Pick<RepositoryWorktrees, 'own'>): string {
  if (own === null) return '';
  return own.command === ''
    ? 'Your config.toml says that no set-up runs in this repository.'
    : `Your config.toml names the set-up of this repository: ${commandText(own.command)}`;
}

/** Asks whether to skip the set-up of a session's worktree. */
export const SKIP_SET_UP_ABOUT =
  'Claude Code starts without the command, now and after every restart. This cannot be undone.';

/** Says what is wrong with a repository's worktree file, and how to fix it. Returns null if the file is in effect. */
export function projectSetUpFault(file: ProjectSetUp, repository: string): string | null {
  const path = cleanLine(file.path);
  const trust = `cbos worktrees trust ${shellWord(cleanLine(repository))}`;
  switch (file.state) {
    case 'trusted':
      return null;
    case 'untrusted':
      return file.command === null ? null : `${path} names a set-up that nobody has trusted yet: ${trust}`;
    case 'changed':
      return `${path} has changed since it was trusted, so its set-up does not run: ${trust}`;
    case 'broken':
      return `${path} cannot be read: ${cleanLine(file.error ?? '')}`;
  }
}

/** Says which sessions use a worktree, or why the worktree can or cannot be used. */
export function worktreeUse({ main, gone, free, sessions }: RepositoryWorktree): string {
  const names = sessions.map(cleanLine).join(', ');
  if (gone) return names === '' ? 'gone' : `${names} (gone)`;
  if (names !== '') return names;
  if (main) return 'main checkout';
  return free ? 'free' : 'no branch';
}
