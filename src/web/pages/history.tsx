import { useSignal } from '@preact/signals';
import type { SessionDay } from '../../protocol/index.ts';
import { costFact } from '../../text/figure-words.ts';
import { client, link, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { addressOf } from '../navigation/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';

const DAY_MS = 86_400_000;
/** How many days to show. Few users remember more than two weeks. */
const SHOWN_DAYS = 14;

const PARTS = [
  { key: 'worked_ms', title: 'worked', tone: 'busy' },
  { key: 'waited_ms', title: 'waited for you', tone: 'needs' },
  { key: 'stuck_ms', title: 'was stuck', tone: 'stuck' },
  { key: 'error_ms', title: 'had an error', tone: 'error' },
] as const;

/** Shows how long each session worked and waited on each day. */
export function HistoryPage() {
  const days = useSignal<readonly SessionDay[] | null>(null);
  const readDays = (): Promise<SessionDay[]> =>
    client.call('historyDays', { query: { since: new Date(Date.now() - SHOWN_DAYS * DAY_MS).toISOString() } });
  useRead(
    link.value === 'live' ? readDays : null,
    {
      onRead: (answer) => {
        days.value = answer;
      },
      onError: tellError,
    },
    [link.value],
  );
  const all = days.value ?? [];
  const dates = [...new Set(all.map(({ day }) => day))].sort().reverse();
  const longest = Math.max(1, ...all.map(spent));

  return (
    <>
      <PageHead title="History">
        <a class="button quiet" href={addressOf({ page: 'schedules' })}>
          Schedules
        </a>
        <a class="button quiet" href={addressOf({ page: 'budgets' })}>
          Budgets
        </a>
      </PageHead>
      <div class="page stack">
        <p class="row wrap faint">
          {PARTS.map(({ key, title, tone }) => (
            <span key={key} class="row">
              <span class="dot still" data-tone={tone} />
              {title}
            </span>
          ))}
        </p>
        {days.value !== null && dates.length === 0 && (
          <p class="faint">Nothing happened in the last {SHOWN_DAYS} days.</p>
        )}
        {dates.map((date) => (
          <section key={date} class="stack">
            <h2>{dayText(date)}</h2>
            <table class="days">
              <thead class="hidden-text">
                <tr>
                  <th>Session</th>
                  <th>The day</th>
                  <th>Worked</th>
                  <th>Waited for you</th>
                  <th>Cost</th>
                </tr>
              </thead>
              <tbody>
                {all
                  .filter(({ day }) => day === date)
                  .sort((one, other) => other.waited_ms - one.waited_ms)
                  .map((entry) => (
                    <Row key={entry.session} entry={entry} longest={longest} />
                  ))}
              </tbody>
            </table>
          </section>
        ))}
      </div>
    </>
  );
}

function Row({ entry, longest }: { entry: SessionDay; longest: number }) {
  const { session } = entry;
  return (
    <tr>
      <th scope="row">
        {sessions.value.has(session) ? <a href={addressOf({ page: 'session', slug: session })}>{session}</a> : session}
      </th>
      <td class="bars">
        <div class="bar" style={{ width: `${(100 * spent(entry)) / longest}%` }}>
          {PARTS.map(({ key, title, tone }) => (
            <span
              key={key}
              data-tone={tone}
              style={{ flexGrow: entry[key] }}
              title={`${title} ${durationText(entry[key])}`}
            />
          ))}
        </div>
      </td>
      <td class="number">{durationText(entry.worked_ms)}</td>
      <td class="number waited">{durationText(entry.waited_ms)}</td>
      <td class="number">{costFact(entry.cost_usd)}</td>
    </tr>
  );
}

function spent(entry: SessionDay): number {
  return PARTS.reduce((sum, { key }) => sum + entry[key], 0);
}

function dayText(date: string): string {
  return new Date(`${date}T12:00:00`).toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return ms < 1_000 ? '–' : `${Math.round(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}
