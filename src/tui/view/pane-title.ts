import { needOf, placeOf, type SeenSession } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { changesFact } from '../../text/changes-words.ts';
import { displayWidth, truncate } from '../../text/display-width.ts';
import { formatDuration, formatSince } from '../../text/durations.ts';
import { contextFact, costFact } from '../../text/figure-words.ts';
import { silentHooksText } from '../../text/hooks-words.ts';
import { causeText } from '../../text/machine-words.ts';
import { missingText, sharedText } from '../../text/missing-words.ts';
import { pullRequestText } from '../../text/pull-request-words.ts';
import { pathText, queueText, recordingText, sessionGist, sessionStyle, stateText } from '../../text/session-words.ts';
import { setUpNotice } from '../../text/set-up-words.ts';
import { snoozeText } from '../../text/snooze-words.ts';
import type { Style } from '../../text/style.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { worktreeBranch } from '../../text/worktree-words.ts';
import { isConversation, type Model } from '../model.ts';

interface PaneTitle {
  model: Model;
  session: SeenSession;
  now: number;
  home: string | undefined;
  dress: Style;
  cols: number;
  /** how many rows there are above the view if the view is not scrolled back */
  canGoBack: number;
}

/** Returns the title line above a session, with its name, its state, and how far the view is scrolled back. */
export function paneTitle({ model, session, cols, canGoBack, now, home, dress }: PaneTitle): string {
  const { slug, status } = session;
  const size = session.cols === null ? '' : `${session.cols}×${session.rows}`;
  const { back } = model.scroll;
  const moved = scrollText({ back, canGoBack, isCounted: !isConversation(model, session) });
  const asOf = session.elsewhere?.asOf ?? null;
  const facts = [
    asOf === null
      ? ''
      : `${causeText(session.elsewhere?.cause ?? null)}; last update ${formatDuration(Math.max(0, now - asOf))} ago`,
    session.snoozed == null ? '' : snoozeText(session.snoozed),
    `${stateText({ ...session, snoozed: null })} ${formatSince(status.since, now)}`,
    failureText(session),
    blockedText(session),
    recordingText(session),
    silentHooksText(session),
    missingText(session),
    sharedText(session),
    queueText(session),
    contextFact(session.context),
    costFact(session.cost_usd),
    worktreeBranch(session.worktree),
    setUpNotice(session),
    changesFact(session),
    pullRequestText(session),
    pathText(placeOf(session), home),
    session.type === 'json' ? 'json' : isConversation(model, session) ? 'conversation, T: terminal' : size,
    moved,
  ];
  const name = ` ${cleanLine(slug)} `;
  const rest = truncate(
    ` ${facts.filter((fact) => fact !== '').join(' · ')} `,
    Math.max(0, cols - displayWidth(name) - 3),
  );
  const line = '─'.repeat(Math.max(0, cols - 2 - displayWidth(name) - displayWidth(rest)));
  return `${dress('dim', '──')}${dress('bold', name)}${dress(asOf === null ? (sessionStyle(session) ?? 'dim') : 'dim', rest)}${dress('dim', line)}`;
}

/** Returns what went wrong. A row of the list has little room for it, such as for the words of a hook. */
function failureText(session: SeenSession): string {
  return needOf(session)?.isLong === true ? sessionGist(session) : '';
}

/**
 * Describes the scroll position. For a conversation, the total number of rows is unknown, because only the visible ones
 * are rendered.
 */
function scrollText(of: { back: number; canGoBack: number; isCounted: boolean }): string {
  const { back, canGoBack, isCounted } = of;
  if (back > 0) return isCounted ? `↑ ${back} of ${rowsText(canGoBack)} back` : `↑ ${rowsText(back)} back`;
  if (canGoBack === 0) return '';
  return isCounted ? `↑ ${rowsText(canGoBack)}` : '↑ more';
}

const rowsText = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);
