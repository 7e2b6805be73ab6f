import { changesIn } from '../../client/index.ts';
import {
  CatalogueError,
  type NextTimes,
  type Schedule,
  type ScheduleLaunch,
  type ScheduleMissed,
} from '../../protocol/index.ts';
import { localTimeZone, scheduleTimeText } from '../../text/schedule-words.ts';
import { readTagWords } from '../../text/tag-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { type Editor, edit, editorOf } from '../input/editor.ts';
import type { Page } from '../mode.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { fitTo } from '../view/cells.ts';
import { type FormField, formLines, LABEL_CELLS, TEXT_INDENT } from '../view/form-lines.ts';
import { type Binding, keysOf } from './binding.ts';

const TEXTS = ['name', 'session', 'folder', 'model', 'tags', 'keep', 'when', 'zone', 'prompt'] as const;
type Text = (typeof TEXTS)[number];
/** The fields that offer two choices instead of accepting text. */
type Choice = 'missed' | 'worktree';
type Field = Text | Choice;
const FIELDS: readonly Field[] = [
  ...(['name', 'session', 'folder', 'worktree', 'model', 'tags', 'keep'] as const),
  ...(['when', 'zone', 'prompt', 'missed'] as const),
];
/** The fields that are shown only if each run launches a session. */
const OF_LAUNCH: readonly Field[] = ['worktree', 'model', 'tags', 'keep'];
const isChoice = (field: Field): field is Choice => field === 'missed' || field === 'worktree';

interface Form {
  /** the schedule that the user is editing, or null for a new one */
  schedule: Schedule | null;
  field: Field;
  texts: Record<Text, Editor>;
  missed: ScheduleMissed;
  inWorktree: boolean;
  /** the next times for the pattern and zone that are currently in the fields, or null until the server has answered */
  times: NextTimes | null;
  fault: string | null;
  isSaving: boolean;
}

/**
 * Shows the form for a schedule, with the next times of its pattern. The user can save the schedule only after these
 * times have been shown.
 * @param options.back called with the schedule's name when the user leaves the form
 */
export function scheduleForm(app: App, options: { schedule: Schedule | null; back: (name: string) => void }): void {
  const { schedule, back } = options;
  // An older server does not send `launch`.
  const launch = schedule?.launch ?? null;
  const form: Form = {
    schedule,
    field: schedule === null ? 'name' : 'when',
    texts: {
      name: editorOf(schedule?.name ?? ''),
      session: editorOf(schedule === null ? (app.model.selected ?? '') : (schedule.session ?? '')),
      folder: editorOf(launch?.path ?? ''),
      model: editorOf(launch?.model ?? ''),
      tags: editorOf((launch?.tags ?? []).join(' ')),
      keep: editorOf(launch?.keep === undefined ? '' : String(launch.keep)),
      when: editorOf(schedule?.cron ?? '0 7 * * 1-5'),
      zone: editorOf(schedule?.timezone ?? localTimeZone()),
      prompt: editorOf(schedule?.prompt ?? ''),
    },
    missed: schedule?.missed ?? 'skip',
    inWorktree: launch?.worktree !== undefined,
    times: null,
    fault: null,
    isSaving: false,
  };
  const goTo = (step: number): void => {
    const fields = fieldsOf(form);
    form.field = fields[(fields.indexOf(form.field) + step + fields.length) % fields.length] ?? 'when';
  };
  const look = (): void => {
    const cron = form.texts.when.text.trim();
    const zone = form.texts.zone.text.trim();
    Object.assign(form, { times: null, fault: null });
    app.run(async () => {
      const found: Pick<Form, 'times' | 'fault'> = { times: null, fault: null };
      try {
        found.times = await app.client.call('scheduleTimes', {
          query: { cron, ...(zone === '' ? {} : { timezone: zone }) },
        });
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        found.fault = error.message;
      }
      // The text has changed since the request, so discard the response.
      if (form.texts.when.text.trim() !== cron || form.texts.zone.text.trim() !== zone) return;
      Object.assign(form, found);
      app.changed();
    });
  };
  const rows: Binding[] = [
    { keys: ['enter'], does: 'save', run: () => save(app, form, back) },
    { keys: ['tab', 'down'], does: 'next field', run: () => goTo(1) },
    { keys: ['shift+tab', 'up'], run: () => goTo(-1) },
    {
      keys: [' ', 'left', 'right'],
      does: 'choose the other one',
      applies: () => isChoice(form.field),
      run: () => choose(form),
    },
    {
      keys: ['ctrl+j', 'alt+enter'],
      does: 'new line',
      applies: () => form.field === 'prompt',
      run: () => write(form, { kind: 'paste', text: '\n' }),
    },
    { keys: ['escape', 'ctrl+c'], does: 'leave', run: () => back(schedule?.name ?? '') },
  ];
  const keys = keysOf(app, rows, (event) => write(form, event));
  app.open({
    ...keys,
    handle(event) {
      const before = patternOf(form);
      keys.handle(event);
      if (patternOf(form) !== before) look();
    },
    page: (cols) => formPage(app, form, cols),
  });
  look();
}

function fieldsOf({ schedule, texts }: Form): Field[] {
  const launches = texts.folder.text.trim() !== '';
  return FIELDS.filter((one) => (schedule === null || one !== 'name') && (launches || !OF_LAUNCH.includes(one)));
}

function choiceWords({ missed, inWorktree }: Form, field: Choice): [word: string, about: string] {
  if (field === 'worktree')
    return inWorktree ? ['yes', 'each in its own git worktree'] : ['no', 'in the folder itself'];
  return missed === 'skip' ? ['skip', 'skip missed runs'] : ['run', 'make up for missed runs, once'];
}

function choose(form: Form): void {
  if (form.field === 'missed') form.missed = form.missed === 'skip' ? 'run' : 'skip';
  else form.inWorktree = !form.inWorktree;
}

function write({ field, texts }: Form, event: InputEvent): void {
  if (!isChoice(field)) texts[field] = edit(texts[field], event) ?? texts[field];
}

/** Returns what the next times depend on. */
const patternOf = ({ texts }: Form): string => `${texts.when.text}\n${texts.zone.text}`;

function save(app: App, form: Form, back: (name: string) => void): void {
  const { schedule, texts, missed } = form;
  if (form.times === null) {
    app.toast('bad', form.fault ?? 'The next times are not known yet');
    return;
  }
  const name = schedule?.name ?? texts.name.text.trim();
  const { cron, timezone } = { cron: texts.when.text.trim(), timezone: form.times.timezone };
  const [session, folder] = [texts.session.text.trim(), texts.folder.text.trim()];
  if (session !== '' && folder !== '') {
    app.toast('bad', 'Fill in only one of the two: a session, or a folder in which each run starts a new session');
    return;
  }
  const to = folder === '' ? { session } : { launch: launchOf(app, form, name) };
  const asked = { cron, timezone, ...to, prompt: texts.prompt.text.trim(), missed };
  if (form.isSaving) return;
  form.isSaving = true;
  app.run(async () => {
    try {
      await send();
    } finally {
      form.isSaving = false;
    }
    back(name);
    app.toast('good', `${name} is saved`);
  });
  async function send(): Promise<void> {
    if (schedule === null) await app.client.call('addSchedule', { body: { name, ...asked } });
    // Send only the fields that were changed in this form, because somebody else may have changed the others.
    else await app.client.call('changeSchedule', { params: { name }, body: changesIn(schedule, asked) });
  }
}

/**
 * Returns how the schedule launches sessions, according to the form. Options that the form does not offer, such as
 * arguments, stay unchanged.
 */
function launchOf({ options }: App, { schedule, texts, inWorktree }: Form, name: string): ScheduleLaunch {
  const { model: _, tags: __, keep: ___, worktree, ...rest } = schedule?.launch ?? { name };
  const { edit: tags } = readTagWords(texts.tags.text);
  const [model, keep, typed] = [texts.model.text.trim(), texts.keep.text.trim(), texts.folder.text.trim()];
  const home = options.env.HOME;
  return {
    type: 'screen',
    ...rest,
    path: home !== undefined && /^~(\/|$)/.test(typed) ? `${home}${typed.slice(1)}` : typed,
    ...(inWorktree ? { worktree: worktree ?? {} } : {}),
    ...(model === '' ? {} : { model }),
    ...(tags?.add === undefined ? {} : { tags: tags.add }),
    ...(keep === '' ? {} : { keep: Number(keep) }),
  };
}

function formPage({ dress }: App, form: Form, cols: number): Page {
  const fields = fieldsOf(form).map((name): FormField => {
    const isHere = form.field === name;
    if (!isChoice(name)) return { name, isHere, content: { kind: 'text', editor: form.texts[name] } };
    const [word, about] = choiceWords(form, name);
    return { name, isHere, content: { kind: 'choice', word, about } };
  });
  const { lines, cursor } = formLines(dress, fields, cols);
  const { times, fault } = form;
  const shown = times?.times.map((at) => scheduleTimeText(at, times.timezone, localTimeZone())) ?? [];
  lines.push('', `  ${fitTo('next', LABEL_CELLS)} ${cleanLine(fault ?? shown[0] ?? '…')}`);
  lines.push(...shown.slice(1).map((text) => `${TEXT_INDENT}${cleanLine(text)}`));
  return {
    title: form.schedule === null ? 'A new schedule' : `Edit ${cleanLine(form.schedule.name)}`,
    rows: lines,
    cursor,
  };
}
