import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { launchSeveral } from '../../client/launch-several.ts';
import { type NewSession, PermissionMode, type Session, type SessionType, SLUG_PATTERN } from '../../protocol/index.ts';
import { setUpNotice } from '../../text/set-up-words.ts';
import { client, sessions } from '../connection/fleet.ts';
import { goTo } from '../navigation/router.ts';
import { bind, ChoiceText, Field, Radio, submitWith } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell } from '../parts/toasts.tsx';
import { FolderField } from './folder-field.tsx';
import { RecentConversations } from './recent-conversations.tsx';
import { timesOf, useWorktreeChoice, WorktreeFields, worktreeBody } from './worktree-fields.tsx';

const TYPES: readonly { type: SessionType; title: string; about: string }[] = [
  {
    type: 'json',
    title: 'Conversation',
    about: 'Answers, tool calls and diffs on this page; uses no memory while it waits',
  },
  { type: 'screen', title: 'Terminal', about: 'The real Claude Code terminal; you can also attach to it from a shell' },
];

/** The form that creates a session in a folder. */
export function NewSessionPage() {
  const path = useSignal('');
  const slug = useSignal('');
  /** whether the user has chosen the name; until then, it is derived from the folder */
  const isNamed = useSignal(false);
  const type = useSignal<SessionType>('json');
  const prompt = useSignal('');
  const mode = useSignal('');
  const model = useSignal('');
  const worktree = useWorktreeChoice();
  const isBusy = useSignal(false);
  // Before the browser handles the next key, because the user may already be in the field for the name.
  useLayoutEffect(() => {
    if (!isNamed.value) slug.value = freeSlug(path.value);
  }, [path.value]);

  const launch = async (): Promise<void> => {
    isBusy.value = true;
    const chosen = PermissionMode.safeParse(mode.value);
    const body: NewSession = {
      slug: slug.value,
      path: path.value.trim(),
      type: type.value,
      ...(prompt.value.trim() === '' ? {} : { prompt: prompt.value }),
      ...(chosen.success ? { permission_mode: chosen.data } : {}),
      ...(model.value.trim() === '' ? {} : { model: model.value.trim() }),
      ...worktreeBody(worktree),
    };
    await launchAndOpen(body, timesOf(worktree));
    isBusy.value = false;
  };

  return (
    <>
      <PageHead title="New session" />
      <form class="page stack" onSubmit={submitWith(launch)}>
        <FolderField path={path} />
        <NameField slug={slug} isNamed={isNamed} />
        <TypeChoice type={type} />
        <WorktreeFields choice={worktree} path={path.value} slug={slug.value} />
        <Field label="First prompt" hint="Optional">
          {(id) => <textarea {...bind(prompt)} id={id} class="input" rows={4} />}
        </Field>
        <ClaudeOptions mode={mode} model={model} />
        <div class="row end">
          <button type="submit" class="button primary" disabled={isBusy.value}>
            {isBusy.value ? 'Starting…' : 'Start'}
          </button>
        </div>
        <RecentConversations type={type.value} nameFor={freeSlug} />
      </form>
    </>
  );
}

/** Launches the session, or several of them, and opens the first one. */
async function launchAndOpen(body: NewSession, times: number): Promise<void> {
  const launched: Session[] = [];
  const onLaunched = (session: Session): void => void launched.push(session);
  const done = await attempt(async () => {
    if (times > 1) await launchSeveral(client, body, { times, onLaunched });
    else onLaunched(await client.call('createSession', { body }));
  });
  const [first] = launched;
  if (times > 1 && first !== undefined) {
    tell(`Launched ${launched.map((one) => one.slug).join(', ')}; Compare… in the menu of each shows what they did`);
  }
  if (first?.worktree?.set_up?.state === 'untrusted') tell(setUpNotice(first));
  if (done && first !== undefined) goTo({ page: 'session', slug: first.slug });
}

function NameField({ slug, isNamed }: { slug: Signal<string>; isNamed: Signal<boolean> }) {
  return (
    <Field label="Name" hint="Letters, digits, - and _">
      {(id) => (
        <input
          {...bind(slug)}
          id={id}
          class="input mono"
          required
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => {
            slug.value = currentTarget.value;
            isNamed.value = currentTarget.value !== '';
          }}
        />
      )}
    </Field>
  );
}

function TypeChoice({ type }: { type: Signal<SessionType> }) {
  return (
    <fieldset class="stack">
      <legend class="label">Shown as</legend>
      <div class="cards">
        {TYPES.map(({ type: one, title, about }) => (
          <Radio key={one} name="type" choice={one} chosen={type}>
            <ChoiceText title={title} about={about} />
          </Radio>
        ))}
      </div>
    </fieldset>
  );
}

/** The options that Claude Code starts with. */
function ClaudeOptions({ mode, model }: { mode: Signal<string>; model: Signal<string> }) {
  return (
    <div class="cards">
      <Field label="Permissions">
        {(id) => (
          <select {...bind(mode)} id={id} class="input">
            <option value="">Claude Code’s default</option>
            {PermissionMode.options.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Model">
        {(id) => (
          <input {...bind(model)} id={id} class="input" placeholder="Claude Code’s default" spellcheck={false} />
        )}
      </Field>
    </div>
  );
}

/**
 * Returns a name for the session: the folder's name in capitals, as users tend to name sessions, with a number appended
 * if that name is already in use.
 */
function freeSlug(path: string): string {
  const last = path.split('/').filter(Boolean).at(-1) ?? '';
  const name = last
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, 60);
  if (!SLUG_PATTERN.test(name)) return '';
  for (let number = 1; ; number++) {
    const slug = number === 1 ? name : `${name}-${number}`;
    if (!sessions.value.has(slug)) return slug;
  }
}
