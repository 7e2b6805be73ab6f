import {
  openedText,
  pullRequestLines,
  pullRequestQuestion,
  pushNotes,
  requestNoun,
} from '../../text/pull-request-words.ts';
import { isConfirmed } from '../confirm.ts';
import type { CliContext } from '../context.ts';

export interface PullRequestOptions {
  into: string;
  title: string;
  body: string;
  draft: boolean;
  yes: boolean;
  json: boolean;
}

/**
 * Runs `finish --pr`: shows what it would push, along with the title and description, asks for confirmation, and then
 * does exactly that.
 */
export async function openPullRequest(
  context: CliContext,
  slug: string,
  options: Partial<PullRequestOptions>,
): Promise<void> {
  const { out } = context;
  const client = await context.client();
  const into = options.into === undefined ? {} : { into: options.into };
  const found = await client.call('planPullRequest', { params: { slug }, query: into });
  const plan = { ...found, title: options.title ?? found.title, body: options.body ?? found.body };
  if (options.yes !== true) {
    for (const line of [...pullRequestLines(plan), ...pushNotes(plan, 'will not run')]) out.notice(line);
    const otherwise = `no ${requestNoun(plan.forge)} of ${slug} was opened`;
    if (!(await isConfirmed(context, pullRequestQuestion(plan), otherwise))) return;
  }
  const { repository, commit, title, body, existing } = plan;
  const session = await client.call('openPullRequest', {
    params: { slug },
    body: {
      ...{ repository, commit, title, body },
      ...into,
      ...(options.draft === true ? { draft: true } : {}),
      ...(existing === null ? {} : { number: existing.number }),
    },
  });
  out.result(options.json, session, openedText(session));
  // Without the question, nothing has named the hooks yet.
  if (options.yes === true) for (const line of pushNotes(plan, 'did not run')) out.notice(line);
}
