import { computed, signal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { isNearlyFull, isSnoozed, isUnread, type Session } from '../../protocol/index.ts';
import { contextPercent, contextText } from '../../text/figure-words.ts';
import { ageText, now } from '../app/clock.ts';
import { addressOf, goTo, place } from '../app/router.ts';
import { link, sessions } from '../connection/fleet.ts';
import { Icon } from '../parts/icons.tsx';
import { ActionBar } from './action-bar.tsx';
import { isChoosing, setChoosing, tick, ticked } from './chosen.ts';
import { groupSessions } from './groups.ts';
import { gistOf, statusText, toneOf } from './tone.ts';

export const filter = signal('');
export const FILTER_ID = 'filter';

/** All sessions in their groups, regardless of the filter. */
export const allGroups = computed(() => groupSessions(sessions.value.values()));
const groups = computed(() =>
  filter.value === '' ? allGroups.value : groupSessions(sessions.value.values(), filter.value),
);

/** The order of the sessions as a string, so that it changes only when one moves. */
const order = computed(() =>
  groups.value.map(({ title, sessions }) => [title, ...sessions.map(({ slug }) => slug)].join(' ')).join('\n'),
);

/** The slug of the open session, or null. */
export const openSlug = computed(() => {
  const { value } = place;
  return value.page === 'session' || value.page === 'replay' || value.page === 'changes' ? value.slug : null;
});

/** The slugs in the order of the list. */
export const listed = computed(() => groups.value.flatMap((group) => group.sessions.map(({ slug }) => slug)));

/** The ticked sessions that the list shows. No action may affect a session that nobody can see. */
const chosen = computed(() => listed.value.filter((slug) => ticked.value.has(slug)));

/** Opens the session that many places further down the list. */
export function openNeighbour(step: 1 | -1): void {
  const slugs = listed.value;
  if (slugs.length === 0) return;
  const at = slugs.indexOf(openSlug.value ?? '');
  const next = at === -1 ? (step === 1 ? 0 : slugs.length - 1) : (at + step + slugs.length) % slugs.length;
  goTo({ page: 'session', slug: slugs[next] ?? '' });
}

/** Cycles through the sessions that need somebody, starting with the one that has waited longest. */
export function openNextThatNeeds(): void {
  const needing = allGroups.value.filter(({ tone }) => tone === 'needs').flatMap((group) => group.sessions);
  const at = needing.findIndex(({ slug }) => slug === openSlug.value);
  const next = needing[(at + 1) % needing.length];
  if (next !== undefined) goTo({ page: 'session', slug: next.slug });
}

/**
 * Shows the list. It is drawn again only when a session moves, is added, or is removed, because each row updates its
 * own contents.
 */
export function SessionList() {
  // Reading the signal subscribes to it.
  void order.value;
  const shown = groups.peek();
  const rows = useRef<HTMLElement>(null);
  useFocusThatStays(rows);
  const open = openSlug.value;
  useLayoutEffect(() => {
    if (open !== null) rowAt(rows, addressOf({ page: 'session', slug: open }))?.scrollIntoView({ block: 'nearest' });
    // When the page has just been loaded, the list arrives after the address.
  }, [open, shown.length > 0]);
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
        <button
          type="button"
          class="button quiet icon"
          aria-label="Choose several sessions"
          aria-pressed={isChoosing.value}
          onClick={() => setChoosing(!isChoosing.peek())}
        >
          <Icon name="choose" />
        </button>
      </div>
      <nav ref={rows} class="sessions" aria-label="Sessions" onKeyDown={handleRowKey}>
        {shown.map((group) => (
          <section key={group.title}>
            <h2 data-tone={group.tone}>
              <span>{group.title}</span>
              <span>{group.sessions.length}</span>
            </h2>
            <ul class="plain">
              {group.sessions.map(({ slug }) => (
                <Row key={slug} slug={slug} />
              ))}
            </ul>
          </section>
        ))}
        {shown.length === 0 && (
          <p class="faint" style={{ padding: 'var(--s4)' }}>
            <ListHint />
          </p>
        )}
      </nav>
      {isChoosing.value && <ActionBar slugs={chosen.value} />}
    </>
  );
}

/** On a row, arrow keys move to its neighbours, and Space ticks it. */
function handleRowKey(event: KeyboardEvent): void {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('.session-row') : null;
  const slug = row?.dataset.slug;
  if (row == null || slug === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (event.key === ' ') tick(slug);
  else if (step !== 0) {
    const rows = [...(row.closest('.sessions')?.querySelectorAll<HTMLElement>('.session-row') ?? [])];
    rows[rows.indexOf(row) + step]?.focus();
  } else return;
  event.preventDefault();
}

/** A row that moves to another group becomes another element. The focus moves with its session. */
function useFocusThatStays(rows: { current: HTMLElement | null }): void {
  const focused = document.activeElement?.closest('.session-row')?.getAttribute('href') ?? null;
  useLayoutEffect(() => {
    if (focused === null || document.activeElement !== document.body) return;
    rowAt(rows, focused)?.focus({ preventScroll: true });
  });
}

function rowAt(rows: { current: HTMLElement | null }, address: string): HTMLElement | null {
  return rows.current?.querySelector<HTMLElement>(`[href="${CSS.escape(address)}"]`) ?? null;
}

function ListHint() {
  if (sessions.value.size > 0) return <>No session matches.</>;
  return <>{link.value === 'live' ? 'No session yet.' : 'Connecting…'}</>;
}

/** Drawn once. Each of its texts is a signal, and only those that changed are written. */
const Row = memo(function Row({ slug }: { slug: string }) {
  const { tone, status, gist, age, current, mark, ticks, unread, unreadWords, ...context } = useMemo(
    () => rowOf(slug),
    [slug],
  );
  return (
    <li>
      <a
        class="session-row"
        href={addressOf({ page: 'session', slug })}
        data-slug={slug}
        data-tone={tone}
        data-ticked={mark}
        data-unread={unread}
        aria-current={current}
        onClick={(event) => {
          if (!isChoosing.peek() || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          tick(slug, event.shiftKey ? listed.peek() : null);
        }}
      >
        <span class="dot" data-tone={tone} />
        <span class="name clip">{slug}</span>
        <span class="age">
          <span class="context" hidden={context.isUnknown} data-nearly-full={context.isWarning} title={context.text}>
            <meter min={0} max={100} value={context.share} aria-hidden="true" />
            <span class="hidden-text">Context window: </span>
            {context.percent}{' '}
          </span>
          {age}
        </span>
        <span class="gist clip">
          <span class="hidden-text">
            {status}. {unreadWords} {ticks}
          </span>
          {gist}
        </span>
      </a>
    </li>
  );
});

function rowOf(slug: string) {
  let last: Session | undefined;
  const session = computed(() => {
    last = sessions.value.get(slug) ?? last;
    // A row belongs to a listed session. When the session is removed, its row is removed a moment later.
    if (last === undefined) throw new Error(`${slug} was never listed`);
    return last;
  });
  return {
    tone: computed(() => toneOf(session.value)),
    status: computed(() => statusText(session.value)),
    gist: computed(() => (isSnoozed(session.value) ? '' : gistOf(session.value)) || statusText(session.value)),
    unread: computed(() => (isUnread(session.value) ? 'true' : undefined)),
    unreadWords: computed(() => (isUnread(session.value) ? 'Unread.' : '')),
    age: computed(() => ageText(Date.parse(session.value.status.since), now.value)),
    isUnknown: computed(() => session.value.context === null),
    isWarning: computed(() => String(isNearlyFull(session.value.context))),
    share: computed(() => session.value.context?.used_percentage ?? 0),
    percent: computed(() => contextPercent(session.value.context)),
    text: computed(() => `Context window: ${contextText(session.value.context)}`),
    current: computed(() => (openSlug.value === slug ? 'page' : undefined)),
    mark: computed(() => (isChoosing.value ? String(ticked.value.has(slug)) : undefined)),
    ticks: computed(() => (isChoosing.value && ticked.value.has(slug) ? 'Chosen. ' : '')),
  };
}
