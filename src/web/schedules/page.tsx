import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Schedule } from '../../protocol/index.ts';
import { localTimeZone, receiverText, runText, scheduleTimeText } from '../../text/schedule-words.ts';
import { client, link, onFrame } from '../connection/fleet.ts';
import { addressOf } from '../navigation/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';
import { ScheduleForm } from './form.tsx';
import { LaunchFacts } from './launch-fields.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { Runs } from './runs.tsx';
import { TriggerDialog } from './trigger-dialog.tsx';

/** The open dialog: for a new schedule, for changing a schedule, for its webhook, or for confirming its deletion. */
type Open = { kind: 'add' } | { kind: 'edit' | 'webhook' | 'remove'; schedule: Schedule };

/** Shows the schedules, and lets the user change them. Changes by others are shown immediately. */
export function SchedulesPage() {
  const schedules = useSignal<readonly Schedule[] | null>(null);
  const open = useSignal<Open | null>(null);
  /** counts changes; open lists of runs are read again after each change */
  const changes = useSignal(0);
  const load = async (): Promise<void> => {
    try {
      schedules.value = await client.call('listSchedules');
      changes.value += 1;
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (link.value === 'live') void load();
  }, [link.value]);
  useEffect(
    () =>
      onFrame(({ type }) => {
        if (type === 'schedules_changed' || type === 'session_renamed') void load();
      }),
    [],
  );
  const close = (): void => {
    open.value = null;
  };

  return (
    <>
      <PageHead title="Schedules">
        <button
          type="button"
          class="button primary"
          onClick={() => {
            open.value = { kind: 'add' };
          }}
        >
          Add…
        </button>
      </PageHead>
      <div class="page stack">
        {schedules.value?.length === 0 && (
          <div class="empty">
            <h1>No schedules yet</h1>
            <p>
              A schedule sends a prompt to a session, or to a new session each time, for example at seven on weekdays.
            </p>
          </div>
        )}
        {(schedules.value ?? []).map((schedule) => (
          <ScheduleCard key={schedule.name} schedule={schedule} open={open} changes={changes.value} />
        ))}
      </div>
      {open.value?.kind === 'add' && <ScheduleForm schedule={null} onClose={close} />}
      {open.value?.kind === 'edit' && <ScheduleForm schedule={open.value.schedule} onClose={close} />}
      {open.value?.kind === 'webhook' && <TriggerDialog schedule={open.value.schedule} onClose={close} />}
      {open.value?.kind === 'remove' && <RemoveDialog name={open.value.schedule.name} onClose={close} />}
    </>
  );
}

function ScheduleCard(props: { schedule: Schedule; open: Signal<Open | null>; changes: number }) {
  const { schedule, open } = props;
  const { name, session, cron, timezone, paused, next_at: next, last_run: last, prompt } = schedule;
  const showsRuns = useSignal(false);
  const params = { name };
  const run = async (): Promise<void> => {
    const isDone = await attempt(async () => {
      tell(`${name}: ${runText(await client.call('runSchedule', { params }))}`);
    });
    if (isDone) showsRuns.value = true;
  };
  const route = paused ? 'resumeSchedule' : 'pauseSchedule';
  return (
    <section class="card stack" aria-label={name}>
      <div class="row wrap">
        <h2>{name}</h2>
        <span class="grow">
          {session === null ? (
            <span class="faint">{receiverText(schedule)}</span>
          ) : (
            <a href={addressOf({ page: 'session', slug: session })}>{session}</a>
          )}
        </span>
        {(schedule.trigger ?? null) !== null && <span class="chip">webhook</span>}
        {paused && <span class="chip">paused</span>}
      </div>
      <p>
        <code>{cron}</code> <span class="faint">{timezone}</span>
      </p>
      {(schedule.launch ?? null) !== null && <LaunchFacts schedule={schedule} />}
      <p>{nextText(schedule, next)}</p>
      <p class="faint">{last === null ? 'No runs yet' : `Last: ${runText(last)}`}</p>
      <p class="pre">{prompt}</p>
      <div class="row wrap end">
        <button
          type="button"
          class="button quiet"
          aria-expanded={showsRuns.value}
          onClick={() => {
            showsRuns.value = !showsRuns.value;
          }}
        >
          Runs
        </button>
        <button type="button" class="button quiet" onClick={() => void run()}>
          Run now
        </button>
        <button type="button" class="button quiet" onClick={() => void attempt(() => client.call(route, { params }))}>
          {paused ? 'Resume' : 'Pause'}
        </button>
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            open.value = { kind: 'edit', schedule };
          }}
        >
          Edit…
        </button>
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            open.value = { kind: 'webhook', schedule };
          }}
        >
          Webhook…
        </button>
        <button
          type="button"
          class="button quiet bad"
          onClick={() => {
            open.value = { kind: 'remove', schedule };
          }}
        >
          Delete…
        </button>
      </div>
      {showsRuns.value && <Runs schedule={schedule} changes={props.changes} />}
    </section>
  );
}

function nextText({ paused, timezone, cron }: Schedule, next: string | null): string {
  if (cron === 'never') return 'Runs only by hand or by webhook';
  if (paused) return 'Paused: no next run until you resume it';
  return next === null
    ? 'No future time matches the pattern'
    : `Next: ${scheduleTimeText(next, timezone, localTimeZone())}`;
}
