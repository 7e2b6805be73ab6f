import { useSignal } from '@preact/signals';
import type { Session } from '../../protocol/index.ts';
import { filterWords, matchesWords } from '../../text/session-filter.ts';
import { pathText } from '../../text/session-words.ts';
import { tagsText } from '../../text/tag-words.ts';
import { unarchive } from '../actions/deeds.ts';
import { doWithEach, type Outcome, Outcomes } from '../actions/outcomes.tsx';
import { client, link, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { ageText, now } from '../display/clock.ts';
import { addressOf } from '../navigation/router.ts';
import { bind } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';

/**
 * Shows the archived sessions, which do not appear in any list. Each session has a link to its conversation and a
 * button that unarchives it.
 */
export function ArchivedPage() {
  const all = useSignal<readonly Session[] | null>(null);
  const typed = useSignal('');
  const picked = useSignal<ReadonlySet<string>>(new Set());
  const isBusy = useSignal(false);
  const outcomes = useSignal<readonly Outcome[]>([]);
  useRead(
    link.value === 'live' ? () => client.call('listSessions', { query: { archived: 'true' } }) : null,
    {
      onRead: (found) => {
        all.value = found;
      },
      onError: tellError,
    },
    // Read the archived sessions again when the number of listed sessions changes, because somebody may have archived
    // or unarchived a session elsewhere.
    [link.value, sessions.value.size],
  );

  const words = filterWords(typed.value);
  const shown = (all.value ?? []).filter((session) => matchesWords(session, words));
  const chosen = shown.map(({ slug }) => slug).filter((slug) => picked.value.has(slug));
  const listAgain = async (): Promise<void> => {
    if (isBusy.value || link.value !== 'live') return;
    isBusy.value = true;
    outcomes.value = await doWithEach(chosen, async (slug) => {
      await unarchive(slug);
      return 'listed again';
    });
    picked.value = new Set();
    isBusy.value = false;
  };
  return (
    <>
      <PageHead title="Archived sessions" />
      <div class="page stack">
        <p class="faint">
          Archived sessions appear in no other list or count. You can archive a stopped or parked session in its menu,
          or with <code>cbos archive</code>.
        </p>
        <input
          class="input"
          type="search"
          aria-label="Filter the archived sessions"
          placeholder="Filter: a name, #tag or @repository"
          {...bind(typed)}
        />
        <p class="faint" role="status">
          {summaryOf(all.value, shown)}
        </p>
        <ul class="plain archived" aria-label="Archived sessions">
          {shown.map((session) => (
            <li key={session.slug} class="row">
              <input
                type="checkbox"
                aria-label={`Choose ${session.slug}`}
                checked={picked.value.has(session.slug)}
                onChange={({ currentTarget }) => {
                  const next = new Set(picked.value);
                  if (currentTarget.checked) next.add(session.slug);
                  else next.delete(session.slug);
                  picked.value = next;
                }}
              />
              <a href={addressOf({ page: 'session', slug: session.slug })}>
                <strong>{session.slug}</strong>
              </a>
              <span class="faint clip grow">
                {[tagsText(session), pathText(session.path, undefined)].filter(Boolean).join(' · ')}
              </span>
              <time class="faint" dateTime={session.archived_at ?? undefined}>
                {session.archived_at == null ? '' : ageText(Date.parse(session.archived_at), now.value)}
              </time>
            </li>
          ))}
        </ul>
        <div class="row end">
          <button
            type="button"
            class="button primary"
            disabled={chosen.length === 0 || isBusy.value || link.value !== 'live'}
            onClick={() => void listAgain()}
          >
            List {chosen.length} again
          </button>
        </div>
        <Outcomes outcomes={outcomes.value} />
      </div>
    </>
  );
}

function summaryOf(all: readonly Session[] | null, shown: readonly Session[]): string {
  if (all === null) return 'Loading…';
  if (all.length === 0) return 'No session is archived.';
  return shown.length === all.length ? `${all.length} archived.` : `${shown.length} of ${all.length}.`;
}
