import type { ForgeName, PullRequest, PullRequestPlan, Session } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import type { StyleName } from './style.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';
import { hooksNotes } from './worktree-words.ts';

/** The maximum length of a title. GitHub truncates longer titles, and GitLab refuses titles over 255 characters. */
const MOST_TITLE_CHARS = 200;

const visible = (text: string): string => showHiddenMarks(cleanBlock(text)).trim();
const visibleLine = (text: string): string => showHiddenMarks(cleanLine(text)).trim();

/** Returns what the users of a forge call a pull request. */
export function requestNoun(forge: ForgeName): 'pull request' | 'merge request' {
  return forge === 'gitlab' ? 'merge request' : 'pull request';
}

/** Returns the number of a pull request in the way its forge writes it: `#12` on GitHub, and `!12` on GitLab. */
export function requestNumber({ forge, number }: Pick<PullRequest, 'forge' | 'number'>): string {
  return `${forge === 'gitlab' ? '!' : '#'}${number}`;
}

/**
 * Returns the title and description for a pull request. They are taken from the commit message if there is only one
 * commit. Otherwise, they are the branch's name and a list of the commits. Invisible characters are shown as escapes,
 * so that the user sees exactly what will be sent.
 * @param messages the commit messages, oldest first
 */
export function requestWords(branch: string, messages: readonly string[]): { title: string; body: string } {
  const [only = ''] = messages;
  const [subject = '', ...rest] = only.split('\n');
  if (messages.length === 1) return { title: shortTitle(subject), body: visible(rest.join('\n')) };
  const spoken = branch.split('/').at(-1)?.replaceAll(/[-_]+/g, ' ').trim() ?? '';
  const title = `${spoken.charAt(0).toUpperCase()}${spoken.slice(1)}`;
  return {
    title: shortTitle(title === '' ? branch : title),
    body: messages.map((message) => `- ${visibleLine(message.split('\n')[0] ?? '')}`).join('\n'),
  };
}

function shortTitle(title: string): string {
  const letters = [...visibleLine(title)];
  return letters.length <= MOST_TITLE_CHARS ? letters.join('') : `${letters.slice(0, MOST_TITLE_CHARS - 1).join('')}…`;
}

/**
 * Returns the state of the session's pull request, such as `#12 passing`, or an empty string if the session has none.
 */
export function pullRequestText({ worktree }: Pick<Session, 'worktree'>): string {
  const request = worktree?.pull_request;
  return request === undefined ? '' : `${requestNumber(request)} ${requestState(request)}`;
}

function requestState({ state, checks }: PullRequest): string {
  if (state !== 'open') return state;
  return checks === 'none' ? 'open' : checks;
}

export function pullRequestStyle({ worktree }: Pick<Session, 'worktree'>): StyleName {
  const request = worktree?.pull_request;
  if (request === undefined || request.state === 'closed') return 'dim';
  if (request.state === 'merged' || request.checks === 'passing') return 'green';
  return request.checks === 'failing' ? 'red' : 'yellow';
}

/**
 * Returns the question that asks the user whether to push a branch and open a pull request for it. The question lists
 * everything that will leave this machine.
 */
export function pullRequestQuestion(plan: PullRequestPlan): string {
  const { branch, repository, existing, forge } = plan;
  const what = plan.commits === 1 ? '1 commit' : `${plan.commits} commits`;
  const push = `Push ${visibleLine(branch)} (${what}) to ${visibleLine(repository)}`;
  if (existing !== null) return `${push}, for its ${requestNoun(forge)} ${requestNumber(existing)}?`;
  return `${push}, and open a ${requestNoun(forge)} into ${visibleLine(plan.base)}?`;
}

/** Returns the planned pull request as text for the user to read. */
export function pullRequestLines({ title, body, existing }: PullRequestPlan): string[] {
  if (existing !== null) return [visibleLine(existing.url)];
  return [visibleLine(title), ...(body === '' ? [] : ['', ...visible(body).split('\n')])];
}

/** Says what the user should know before or after a push. @param what whether hooks `will not run` or `did not run` */
export function pushNotes({ skipped_hooks }: PullRequestPlan, what: string): string[] {
  return hooksNotes(what, skipped_hooks);
}

/** Returns the outcome of opening a pull request. */
export function openedText({ slug, worktree }: Pick<Session, 'slug' | 'worktree'>): string {
  const request = worktree?.pull_request;
  if (request === undefined) return '';
  return `${slug} has the ${requestNoun(request.forge)} ${requestNumber(request)}: ${visibleLine(request.url)}`;
}
