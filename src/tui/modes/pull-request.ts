import type { PullRequestPlan, Session } from '../../protocol/index.ts';
import {
  openedText,
  pullRequestLines,
  pullRequestQuestion,
  pushNotes,
  requestNoun,
  requestNumber,
} from '../../text/pull-request-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { confirm } from './confirm.ts';

/** Shows the planned pull request for a session, and opens it if the user says yes. */
export function requestPull(app: App, session: Session): void {
  const { slug } = session;
  const asking = app.mode();
  app.toast('wait', `reading the branch of ${slug} and asking its forge…`);
  app.run(async () => {
    const plan = await app.client.call('planPullRequest', { params: { slug }, query: {} });
    // If the user has opened something else in the meantime, keypresses are meant for that.
    if (app.mode() === asking && app.model.selected === slug) ask(app, slug, plan);
  });
}

function ask(app: App, slug: string, plan: PullRequestPlan): void {
  const { repository, commit, title, body, existing } = plan;
  const noun = requestNoun(plan.forge);
  confirm(app, {
    question: existing === null ? `Open a ${noun} for ${slug}?` : `Push to the ${noun} ${requestNumber(existing)}?`,
    about: [pullRequestQuestion(plan), ...pushNotes(plan, 'will not run'), '', ...pullRequestLines(plan)]
      .map(cleanLine)
      .join('\n'),
    onYes: () => {
      app.toast('wait', `pushing the branch of ${slug}…`);
      app.run(async () => {
        const number = existing === null ? {} : { number: existing.number };
        const request = { repository, commit, title, body, ...number };
        app.toast('good', openedText(await app.client.call('openPullRequest', { params: { slug }, body: request })));
      });
    },
  });
}
