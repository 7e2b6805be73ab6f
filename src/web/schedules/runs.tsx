import { useSignal } from '@preact/signals';
import type { KeptRecording, Schedule, ScheduleRun } from '../../protocol/index.ts';
import { costFact } from '../../text/figure-words.ts';
import { localTimeZone, runText, scheduleTimeText, startedByText } from '../../text/schedule-words.ts';
import { client, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { addressOf, goTo } from '../navigation/router.ts';
import { attempt, tellError } from '../parts/toasts.tsx';

/** How many runs to show. `cbos schedule runs` shows all of them. */
const MOST_SHOWN = 50;

/** Shows the outcomes of a schedule's runs, newest first. */
export function Runs({ schedule, changes }: { schedule: Schedule; changes: number }) {
  const runs = useSignal<readonly ScheduleRun[] | null>(null);
  const { name } = schedule;
  useRead(
    () => client.call('scheduleRuns', { params: { name } }),
    {
      onRead: (answer) => {
        runs.value = answer.slice(-MOST_SHOWN).reverse();
      },
      onError: tellError,
    },
    [name, changes],
  );
  if (runs.value === null) return null;
  if (runs.value.length === 0) return <p class="faint">No run has been due yet.</p>;
  return (
    <ul class="stack" aria-label={`Runs of ${name}`}>
      {runs.value.map((run) => (
        <Run key={run.due_at} run={run} zone={schedule.timezone} />
      ))}
    </ul>
  );
}

function Run({ run, zone }: { run: ScheduleRun; zone: string }) {
  const { session } = run;
  const found = session === null ? undefined : sessions.value.get(session);
  return (
    <li class="row wrap">
      <span class="number">{scheduleTimeText(run.due_at, zone, localTimeZone())}</span>
      <span class="grow">
        {runText(run)}
        {startedByText(run) === '' ? '' : ` (${startedByText(run)})`}
        {run.cost_usd == null ? '' : ` · ${costFact(run.cost_usd)}`}
      </span>
      {session !== null && found !== undefined && (
        <a href={addressOf({ page: 'session', slug: session })} title={`Delivery ${run.delivery_id ?? ''}`}>
          {session}
        </a>
      )}
      {session !== null && found?.type === 'screen' && run.taken_at !== null && (
        <button type="button" class="button quiet" onClick={() => void attempt(() => replayAt(session, run.taken_at))}>
          Replay
        </button>
      )}
    </li>
  );
}

/** How long before the prompt was accepted the replay begins, so that the user sees the prompt arrive. */
const LEAD_S = 2;

/**
 * Opens the recording that was made at a given time, at that time. By now, a restart may have moved this recording
 * aside.
 */
async function replayAt(slug: string, at: string | null): Promise<void> {
  if (at === null) return;
  const moment = Date.parse(at);
  const older = await client.call('olderRecordings', { params: { slug } });
  const kept = older.find((one) => covers(one, moment)) ?? null;
  const start = kept === null ? (await client.call('replay', { params: { slug } })).started_at : kept.started_at;
  const t = start === null ? null : Math.max(0, (moment - Date.parse(start)) / 1_000 - LEAD_S);
  goTo({ page: 'replay', slug, recording: kept?.recording ?? null, offset: null, t });
}

function covers({ started_at: from, ended_at: to }: KeptRecording, moment: number): boolean {
  return from !== null && Date.parse(from) <= moment && moment <= Date.parse(to);
}
