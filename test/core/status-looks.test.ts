import { expect, test } from 'vitest';
import { observeStatus, UNATTENDED } from '../../src/core/attention/attended.ts';
import { happenedIn } from '../../src/core/catchup/happened.ts';
import { titleOf } from '../../src/core/sinks/notice.ts';
import {
  attentionOf,
  DETAILS,
  Detail,
  isAsking,
  isReady,
  needsYou,
  type Session,
  type Status,
  sortByAttention,
} from '../../src/protocol/index.ts';
import { catchupEventText } from '../../src/text/catchup-words.ts';
import { sessionGist, sessionIcon, sessionStyle, stateText } from '../../src/text/session-words.ts';
import { toneOf } from '../../src/web/list/tone.ts';
import { SINCE, someSession } from '../harness/some-session.ts';

const { status } = someSession('X');
const because = { source: 'hook', rule: 'hook.Stop', evidence: 'the first line\nthe last line' } as const;

function of(primary: Status['primary'], detail: string | null = null, some: Partial<Session> = {}): Session {
  return someSession(`${primary}/${detail}${Object.keys(some).map((field) => ` ${field}`)}`, {
    status: { ...status, primary, detail: detail as Detail | null, because },
    ...some,
  });
}

const LIMIT = { status: 'rejected', kind: 'five_hour', resets_at: null, utilization: 1 } as const;
const BUDGET = { budget: 'all', scope: 'fleet', unit: 'usd', per: 'day', limit: 1, spent: 2, holds: 1 } as const;
const SESSIONS = [
  ...Detail.options.map((detail) => of(DETAILS[detail].primary, detail)),
  // Details of a newer server.
  ...(['idle', 'active', 'waiting'] as const).map((primary) => of(primary, 'vote')),
  of('stuck'),
  of('dead'),
  of('dead', null, { ended: { by: 'killed', at: SINCE } }),
  of(null),
  of('idle', 'waiting_input', { rate_limit: LIMIT }),
  of('idle', 'waiting_input', { over_budget: BUDGET }),
  of('idle', 'waiting_input', { other_conversation: 'c2' }),
  // A time would be shown in the local time zone.
  of('idle', 'waiting_input', { interrupted_at: 'once' }),
  of('idle', 'error', { parked_at: SINCE }),
];

/** Returns what each face says about a session. */
function looks(session: Session): string {
  const { primary, detail, question } = session.status;
  const told = { at: SINCE, primary, detail };
  const before = { at: SINCE, primary: 'active', detail: 'thinking' } as const;
  const events = happenedIn([before, told]).map((event) => catchupEventText({ ...event, replay: null }));
  const { after, happened } = observeStatus({ ...UNATTENDED, turnRuns: true }, { primary, detail, question });
  const signs = [isReady(session.status) ? 'takes text' : '', isAsking(session.status) ? 'asks' : '', ...happened];
  return [
    `${session.slug}: ${attentionOf(session)}`,
    `  list: ${sessionIcon(session)} ${stateText(session)} (${sessionStyle(session)}; web: ${toneOf(session)}) ${sessionGist(session)}`,
    `  message: ${needsYou(session) ? titleOf(session) : 'none'}`,
    `  catch-up: ${events.join(', ') || 'nothing'}`,
    `  then: ${[...signs, after.news > 0 ? 'unread' : ''].filter((sign) => sign !== '').join(', ') || 'nothing'}`,
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}

test('what each face says of each status is in the table of looks', async () => {
  const table = sortByAttention(SESSIONS).map(looks).join('\n');
  await expect(`${table}\n`).toMatchFileSnapshot('../fixtures/tables/status-looks.txt');
});
