import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { changesIn } from '../../client/index.ts';
import {
  CatalogueError,
  elsewhereOf,
  type NextTimes,
  type Schedule,
  type ScheduleMissed,
} from '../../protocol/index.ts';
import { localTimeZone, scheduleTimeText } from '../../text/schedule-words.ts';
import { client, sessions } from '../connection/fleet.ts';
import { Dialog } from '../parts/dialog.tsx';
import { bind, Field, submitWith } from '../parts/field.tsx';
import { attempt, tell } from '../parts/toasts.tsx';
import { LaunchFieldset, launchOf, useLaunchFields } from './launch-fields.tsx';

/** The next times for the pattern and zone that are currently in the fields, if they are known. */
interface Preview {
  of: string;
  times: NextTimes | null;
  fault: string | null;
}

/** The value of the choice "a new session for each run". No session can have this name. */
const NEW = ' new';

/** How long to wait after a keypress before requesting the next times. */
const TYPING_MS = 150;

/**
 * The form that adds or changes a schedule. The user can save the schedule only after its next times have been shown.
 */
export function ScheduleForm({ schedule, onClose }: { schedule: Schedule | null; onClose: () => void }) {
  const first = useRef<HTMLInputElement>(null);
  const name = useSignal(schedule?.name ?? '');
  const session = useSignal((schedule?.launch ?? null) === null ? (schedule?.session ?? '') : NEW);
  const cron = useSignal(schedule?.cron ?? '0 7 * * 1-5');
  const timezone = useSignal(schedule?.timezone ?? localTimeZone());
  const prompt = useSignal(schedule?.prompt ?? '');
  const missed = useSignal<ScheduleMissed>(schedule?.missed ?? 'skip');
  const launch = useLaunchFields(schedule?.launch ?? null);
  const preview = usePreview(cron.value, timezone.value);
  const hasTimes = (preview?.times ?? null) !== null;
  const isBusy = useSignal(false);

  const save = async (): Promise<void> => {
    if (isBusy.value || !hasTimes) return;
    isBusy.value = true;
    const zone = timezone.value === '' ? {} : { timezone: timezone.value };
    const to =
      session.value === NEW
        ? { launch: launchOf(launch, schedule?.launch ?? null, name.value) }
        : { session: session.value };
    const asked = { cron: cron.value, ...zone, ...to, prompt: prompt.value, missed: missed.value };
    const isSaved = await attempt(() =>
      schedule === null
        ? client.call('addSchedule', { body: { name: name.value, ...asked } })
        : client.call('changeSchedule', { params: { name: schedule.name }, body: changesIn(schedule, asked) }),
    );
    isBusy.value = false;
    if (!isSaved) return;
    tell(`Saved ${name.value}`);
    onClose();
  };

  const title = schedule === null ? 'A new schedule' : `Edit ${schedule.name}`;
  return (
    <Dialog label={title} onClose={onClose} isWide focus={first}>
      <form class="dialog-body stack" onSubmit={submitWith(save)}>
        <h2>{title}</h2>
        {schedule === null && (
          <Field label="Name" hint="Letters, digits, - and _">
            {(id) => (
              <input
                {...bind(name)}
                ref={first}
                id={id}
                class="input mono"
                required
                maxLength={64}
                pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
                spellcheck={false}
                autocomplete="off"
              />
            )}
          </Field>
        )}
        <SessionChoice session={session} required={schedule === null} />
        {session.value === NEW && <LaunchFieldset {...launch} />}
        <div class="cards">
          <Field label="When" hint="Minute, hour, day of the month, month, day of the week">
            {(id) => (
              <input {...bind(cron)} id={id} class="input mono" required spellcheck={false} autocomplete="off" />
            )}
          </Field>
          <Field label="Time zone" hint="If empty, the time zone of the server’s machine">
            {(id) => <input {...bind(timezone)} id={id} class="input" spellcheck={false} autocomplete="off" />}
          </Field>
        </div>
        <Times preview={preview} />
        <Field label="Prompt">
          {(id) => <textarea {...bind(prompt)} id={id} class="input" rows={4} required maxLength={100_000} />}
        </Field>
        <Field label="If a run was missed">
          {(id) => (
            <select
              id={id}
              class="input"
              value={missed.value}
              onChange={({ currentTarget }) => {
                missed.value = currentTarget.value === 'run' ? 'run' : 'skip';
              }}
            >
              <option value="skip">Skip it</option>
              <option value="run">Make up for it, once</option>
            </select>
          )}
        </Field>
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isBusy.value || !hasTimes}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the next times for a pattern and a zone, or null until they are known. */
function usePreview(cron: string, timezone: string): Preview | null {
  const preview = useSignal<Preview | null>(null);
  const of = JSON.stringify([cron, timezone]);
  useEffect(() => {
    const look = async (): Promise<void> => {
      const found: Preview = { of, times: null, fault: null };
      try {
        found.times = await client.call('scheduleTimes', {
          query: { cron, ...(timezone === '' ? {} : { timezone }) },
        });
      } catch (error) {
        found.fault = error instanceof CatalogueError ? error.message : String(error);
      }
      preview.value = found;
    };
    const timer = setTimeout(() => void look(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [of]);
  return preview.value?.of === of ? preview.value : null;
}

function SessionChoice({ session, required }: { session: Signal<string>; required: boolean }) {
  const names = [...sessions.value.values()].filter((one) => elsewhereOf(one) === null).map(({ slug }) => slug);
  return (
    <Field label="Session">
      {(id) => (
        <select {...bind(session)} id={id} class="input" required={required}>
          {!names.includes(session.value) && session.value !== NEW && (
            <option value={session.value}>{session.value || 'Choose one'}</option>
          )}
          <option value={NEW}>A new one for each run</option>
          {names.map((slug) => (
            <option key={slug} value={slug}>
              {slug}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Times({ preview }: { preview: Preview | null }) {
  return (
    <div role="status" aria-label="Next times">
      {preview === null && <p class="faint">…</p>}
      {preview !== null && preview.fault !== null && <p class="notice">{preview.fault}</p>}
      {preview !== null && preview.times !== null && (
        <ul class="faint">
          {preview.times.times.map((at) => (
            <li key={at}>{scheduleTimeText(at, preview.times?.timezone ?? '', localTimeZone())}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
