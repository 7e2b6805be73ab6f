import { type Signal, useSignal } from '@preact/signals';
import type { Schedule, ScheduleLaunch } from '../../protocol/index.ts';
import { launchFacts } from '../../text/schedule-words.ts';
import { readTagWords } from '../../text/tag-words.ts';
import { FolderField } from '../pages/folder-field.tsx';
import { bind, Check, Field } from '../parts/field.tsx';

/** The fields for what a schedule launches. The page does not offer all options. */
export interface LaunchFields {
  path: Signal<string>;
  model: Signal<string>;
  tags: Signal<string>;
  keep: Signal<string>;
  inWorktree: Signal<boolean>;
  overlaps: Signal<boolean>;
}

export function useLaunchFields(launch: ScheduleLaunch | null): LaunchFields {
  return {
    path: useSignal(launch?.path ?? ''),
    model: useSignal(launch?.model ?? ''),
    tags: useSignal((launch?.tags ?? []).join(' ')),
    keep: useSignal(launch?.keep === undefined ? '' : String(launch.keep)),
    inWorktree: useSignal(launch?.worktree !== undefined),
    overlaps: useSignal(launch?.overlap === 'launch'),
  };
}

/**
 * Returns how the schedule launches sessions, according to the fields. Options that the page does not offer, such as
 * arguments, stay unchanged.
 */
export function launchOf(fields: LaunchFields, before: ScheduleLaunch | null, schedule: string): ScheduleLaunch {
  const { path, model, tags, keep, inWorktree, overlaps } = fields;
  const { model: _, tags: __, keep: ___, worktree, overlap: ____, ...rest } = before ?? { name: schedule };
  const { edit } = readTagWords(tags.value);
  return {
    type: 'screen',
    ...rest,
    path: path.value.trim(),
    ...(model.value.trim() === '' ? {} : { model: model.value.trim() }),
    ...(edit?.add === undefined ? {} : { tags: edit.add }),
    ...(keep.value === '' ? {} : { keep: Number(keep.value) }),
    ...(inWorktree.value ? { worktree: worktree ?? {} } : {}),
    ...(overlaps.value ? { overlap: 'launch' } : {}),
  };
}

export function LaunchFieldset({ path, model, tags, keep, inWorktree, overlaps }: LaunchFields) {
  return (
    <fieldset class="stack">
      <legend class="label">Each new session</legend>
      <FolderField path={path} />
      <Check checked={inWorktree}>In its own git worktree</Check>
      <div class="cards">
        <Field label="Model">
          {(id) => (
            <input {...bind(model)} id={id} class="input" placeholder="Claude Code’s default" spellcheck={false} />
          )}
        </Field>
        <Field label="Tags" hint="Words separated by spaces; a budget may apply to a tag">
          {(id) => <input {...bind(tags)} id={id} class="input" spellcheck={false} autocomplete="off" />}
        </Field>
        <Field
          label="Keep listed"
          hint="Older sessions that are done are parked and archived; if empty, all stay listed"
        >
          {(id) => <input {...bind(keep)} id={id} class="input" type="number" min="1" max="1000" />}
        </Field>
      </div>
      <Check checked={overlaps}>Start one even while the previous one is working or asking</Check>
    </fieldset>
  );
}

/** Shows what a schedule launches, on the schedule's card. */
export function LaunchFacts({ schedule: { launch } }: { schedule: Schedule }) {
  return launch === null ? null : <p class="faint">{launchFacts(launch)}</p>;
}
