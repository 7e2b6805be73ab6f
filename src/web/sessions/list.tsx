import { computed, signal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import type { Session } from '../../protocol/index.ts';
import { ageText, now } from '../app/clock.ts';
import { addressOf, goTo, place } from '../app/router.ts';
import { Icon } from '../parts/icons.tsx';
import { link, sessions } from '../server/fleet.ts';
import { groupSessions } from './groups.ts';
import { gistOf, statusText, toneOf } from './tone.ts';

export const filter = signal('');
export const FILTER_ID = 'filter';

export const groups = computed(() => groupSessions(sessions.value.values(), filter.value));

/** The session that is open, or null. */
export const openSlug = computed(() => {
  const { value } = place;
  return value.page === 'session' || value.page === 'replay' ? value.slug : null;
});

/** Slugs in the order of the list. */
export const listed = computed(() => groups.value.flatMap((group) => group.sessions.map(({ slug }) => slug)));

/** Opens the session so many places further down the list. */
export function openNeighbour(step: 1 | -1): void {
  const slugs = listed.value;
  if (slugs.length === 0) return;
  const at = slugs.indexOf(openSlug.value ?? '');
  const next = at === -1 ? (step === 1 ? 0 : slugs.length - 1) : (at + step + slugs.length) % slugs.length;
  goTo({ page: 'session', slug: slugs[next] ?? '' });
}

/** Opens the one that waits longest, the open one aside. */
export function openNextThatNeeds(): void {
  const needing = groups.value.filter(({ tone }) => tone === 'needs').flatMap((group) => group.sessions);
  const next = needing.find(({ slug }) => slug !== openSlug.value) ?? needing[0];
  if (next !== undefined) goTo({ page: 'session', slug: next.slug });
}

export function SessionList() {
  const isEmpty = sessions.value.size === 0;
  return (
    <>
      <div class="filter">
        <Icon name="search" />
        <input
          id={FILTER_ID}
          class="input"
          type="search"
          placeholder="Filter"
          aria-label="Filter sessions"
          autocomplete="off"
          spellcheck={false}
          value={filter.value}
          onInput={({ currentTarget }) => {
            filter.value = currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') goTo({ page: 'session', slug: listed.value[0] ?? '' });
            if (event.key === 'Escape') {
              filter.value = '';
              event.currentTarget.blur();
            }
          }}
        />
        <span class="kbd" aria-hidden="true">
          /
        </span>
      </div>
      <nav class="sessions" aria-label="Sessions">
        {groups.value.map((group) => (
          <section key={group.title}>
            <h2 data-tone={group.tone}>
              <span>{group.title}</span>
              <span>{group.sessions.length}</span>
            </h2>
            <ul class="plain">
              {group.sessions.map((session) => (
                <Row key={session.slug} session={session} isOpen={session.slug === openSlug.value} />
              ))}
            </ul>
          </section>
        ))}
        {groups.value.length === 0 && (
          <p class="faint" style={{ padding: 'var(--s4)' }}>
            {listHint(isEmpty)}
          </p>
        )}
      </nav>
    </>
  );
}

function listHint(isEmpty: boolean): string {
  if (!isEmpty) return 'No session matches.';
  return link.value === 'live' ? 'No session yet.' : 'Connecting…';
}

/** Drawn again only when its session changed: the view keeps the objects of the others. */
const Row = memo(function Row({ session, isOpen }: { session: Session; isOpen: boolean }) {
  const tone = toneOf(session);
  return (
    <li>
      <a
        class="session-row"
        href={addressOf({ page: 'session', slug: session.slug })}
        data-tone={tone}
        aria-current={isOpen ? 'page' : undefined}
      >
        <span class="dot" data-tone={tone} />
        <span class="name clip">{session.slug}</span>
        <Age since={session.status.since} />
        <span class="gist clip">
          <span class="hidden-text">{statusText(session)}. </span>
          {gistOf(session) || statusText(session)}
        </span>
      </a>
    </li>
  );
});

/** The signal itself is the text: as time passes only a text that is another is written, and no row is drawn again. */
function Age({ since }: { since: string }) {
  const text = useMemo(() => computed(() => ageText(Date.parse(since), now.value)), [since]);
  return <span class="age">{text}</span>;
}
