import type { Schedule, ScheduleRun } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { costFact } from '../../text/figure-words.ts';
import {
  launchFacts,
  localTimeZone,
  receiverText,
  runText,
  scheduleTimeText,
  startedByText,
} from '../../text/schedule-words.ts';
import { firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { createList } from '../list.ts';
import { wrap } from '../view/cells.ts';
import { keysOf, leavingBy, movingBy, onChosen } from './binding.ts';
import { confirm } from './confirm.ts';
import { scheduleForm } from './schedule-form.ts';
import { showTrigger } from './schedule-trigger.ts';
import { showPage } from './text-page.ts';

const NO_SCHEDULES = 'No schedules yet; press a to add one';

/**
 * Shows the schedules and the outcomes of their runs. The user can add, edit, pause, resume, run, and delete schedules
 * here.
 */
export function showSchedules(app: App, chosenName = ''): void {
  let schedules: readonly Schedule[] | null = null;
  const list = createList({ items: () => schedules ?? [], keyOf: ({ name }) => name, key: chosenName });
  const load = async (): Promise<void> => {
    schedules = await app.client.call('listSchedules');
    app.changed();
  };
  const row = onChosen(list, NO_SCHEDULES);
  const back = (name: string): void => showSchedules(app, name);
  app.open({
    ...keysOf(app, [
      row(['enter'], 'its runs', (one) => showRuns(app, one)),
      {
        keys: ['a'],
        does: () => (list.chosen() === undefined ? 'add one' : 'add'),
        run: () => scheduleForm(app, { schedule: null, back }),
      },
      row(['e'], 'edit', (schedule) => scheduleForm(app, { schedule, back })),
      row(
        ['p'],
        () => (list.chosen()?.paused === true ? 'resume' : 'pause'),
        (one) => pause(app, one),
      ),
      row(['r'], 'run now', (one) => runNow(app, one)),
      row(['w'], 'webhook', (one) => showTrigger(app, one, back)),
      row(['d', 'x'], 'delete', (one) => remove(app, one)),
      movingBy(list.onKey, () => (list.chosen() === undefined ? null : 'move')),
      leavingBy(app.close),
    ]),
    onFrame: ({ type }) => {
      if (type === 'schedules_changed' || type === 'session_renamed') app.run(load);
    },
    page(cols, rows) {
      if (schedules === null) return { title: 'Schedules', rows: [' …'] };
      if (schedules.length === 0) return { title: 'Schedules', rows: ['', app.dress('dim', `   ${NO_SCHEDULES}`)] };
      const lines = list.show(rows, (schedule, isHere) => scheduleLines(app, { schedule, isHere, cols }));
      return { title: `Schedules: ${schedules.length}`, rows: lines };
    },
  });
  app.run(load);
}

function scheduleLines(app: App, shown: { schedule: Schedule; isHere: boolean; cols: number }): string[] {
  const { schedule: one, isHere, cols } = shown;
  // An older server sends neither `launch` nor `trigger`.
  const { launch = null, trigger = null } = one as Partial<Schedule>;
  const { dress } = app;
  const bar = isHere ? dress('cyan', '▌') : ' ';
  const line = (text: string): string => truncate(cleanLine(text), cols - 4);
  const next = one.next_at === null ? 'never' : scheduleTimeText(one.next_at, one.timezone, localTimeZone());
  const state = `${one.paused ? 'paused' : `next ${next}`}${trigger === null ? '' : ' · webhook'}`;
  const last = one.last_run === null ? 'no runs yet' : `last: ${runText(one.last_run)}`;
  const title = line(`${one.name} → ${receiverText(one)} · ${state}`);
  return [
    `${bar} ${dress(isHere ? 'inverse' : 'bold', title)}`,
    `${bar}   ${line(`${one.cron} ${one.timezone} · ${last}`)}`,
    `${bar}   ${dress('dim', line(firstLine(one.prompt)))}`,
    ...(launch === null ? [] : [`${bar}   ${dress('dim', line(launchFacts(launch)))}`]),
    '',
  ];
}

function pause(app: App, { name, paused }: Schedule): void {
  app.run(async () => {
    await app.client.call(paused ? 'resumeSchedule' : 'pauseSchedule', { params: { name } });
    app.toast('good', `${name} is ${paused ? 'resumed' : 'paused'}`);
  });
}

function runNow(app: App, { name }: Schedule): void {
  app.toast('wait', `running ${name}…`);
  app.run(async () => {
    const run = await app.client.call('runSchedule', { params: { name } });
    app.toast(run.outcome === 'sent' ? 'good' : 'bad', `${name}: ${runText(run)}`);
  });
}

function remove(app: App, { name }: Schedule): void {
  confirm(app, {
    question: `Delete the schedule ${cleanLine(name)}?`,
    about: 'The record of its runs will be deleted too. A prompt that is already queued stays queued.',
    onYes: () => {
      showSchedules(app);
      app.run(async () => {
        await app.client.call('removeSchedule', { params: { name } });
        app.toast('good', `${name} is deleted`);
      });
    },
  });
}

/** Shows the outcome of each of the schedule's runs, newest first. */
function showRuns(app: App, { name, timezone }: Schedule): void {
  app.run(async () => {
    const runs = await app.client.call('scheduleRuns', { params: { name } });
    const lines = [...runs].reverse().flatMap((run) => runLines(run, timezone));
    showPage(
      app,
      `Runs of ${cleanLine(name)}`,
      (cols) =>
        lines.length === 0
          ? ['', '   No run has been due yet']
          : ['', ...lines].flatMap((line) => wrap(line, cols - 1)),
      { onLeave: () => showSchedules(app, name) },
    );
  });
}

function runLines(run: ScheduleRun, zone: string): string[] {
  const time = (at: string): string => scheduleTimeText(at, zone, localTimeZone());
  const taken = run.taken_at === null ? '' : `, taken ${time(run.taken_at)}`;
  const cost = costFact(run.cost_usd ?? null);
  const facts = [
    `${run.session ?? ''}${taken}`,
    ...(cost === '' ? [] : [cost]),
    `delivery ${run.delivery_id ?? 'none'}`,
  ];
  const to = `     ${cleanLine(facts.join(', '))}`;
  return [
    `   ${time(run.due_at)} ${startedByText(run)}`.trimEnd(),
    `     ${cleanLine(runText(run))}`,
    ...(run.session === null ? [] : [to]),
  ];
}
