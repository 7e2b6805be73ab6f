import { computed } from '@preact/signals';
import { memo } from 'preact/compat';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { isNearlyFull, isSnoozed, isUnread, type SeenSession } from '../../protocol/index.ts';
import { changedLines, changesFact } from '../../text/changes-words.ts';
import { contextPercent, contextText } from '../../text/figure-words.ts';
import { link, sessions } from '../connection/fleet.ts';
import { ageText, now } from '../display/clock.ts';
import { overlay } from '../navigation/overlay.ts';
import { addressOf, goTo } from '../navigation/router.ts';
import { bind } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { ActionBar } from './action-bar.tsx';
import { chosen, FILTER_ID, filter, groups, isOwn, listed, openSlug, order, toggleFold } from './arranged.ts';
import { isChoosing, setChoosing, tick, ticked } from './chosen.ts';
import type { Group } from './groups.ts';
import { gistOf, statusText, toneOf } from './tone.ts';

/**
 * Shows the list. It is redrawn only when a session is moved, added, or removed, because each row updates its own
 * contents.
 */
export function SessionList() {
  // Read the signal in order to subscribe to it.
  void order.value;
  const shown = groups.peek();
  const rows = useRef<HTMLElement>(null);
  useFocusThatStays(rows);
  const open = openSlug.value;
  useLayoutEffect(() => {
    if (open !== null) rowAt(rows, addressOf({ page: 'session', slug: open }))?.scrollIntoView({ block: 'nearest' });
    // Right after the page was loaded, the list arrives later than the address.
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
          {...bind(filter)}
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
          aria-label="Groups, tags and views"
          onClick={() => {
            overlay.value = 'list';
          }}
        >
          <Icon name="list" />
        </button>
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
          <section key={group.key}>
            {group.title !== '' && <Heading group={group} />}
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

/** A heading with which the user can fold its group. Sessions that need attention and the open session stay visible. */
function Heading({ group: { key, title, tone, count, isFolded } }: { group: Group }) {
  return (
    <h2 data-tone={tone ?? undefined}>
      <button type="button" class="fold" aria-expanded={!isFolded} onClick={() => toggleFold(key)}>
        <Icon name="chevron" />
        <span class="clip">{title}</span>
      </button>
      <span>{count}</span>
    </h2>
  );
}

/** Handles keys on a row: arrow keys move to the neighbouring rows, and Space ticks the session. */
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

/** When a session moves to another group, its row becomes a different element. Move the focus to the new element. */
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
  return <>{link.value === 'live' ? 'No sessions yet.' : 'Connecting…'}</>;
}

/** A row is rendered only once. Each text in it is a signal, so only text that has changed is written again. */
const Row = memo(function Row({ slug }: { slug: string }) {
  const row = useMemo(() => rowOf(slug), [slug]);
  const { tone, status, gist, age, old, current, mark, ticks, unread, unreadWords, lines, changes, ...context } = row;
  return (
    <li>
      <a
        class="session-row"
        href={addressOf({ page: 'session', slug })}
        data-slug={slug}
        data-tone={tone}
        data-ticked={mark}
        data-unread={unread}
        data-old={old}
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
          <span title={changes}>{lines}</span>{' '}
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
  let last: SeenSession | undefined;
  const session = computed(() => {
    last = sessions.value.get(slug) ?? last;
    // The session is in the list, except for the moment between its removal and the removal of its row.
    if (last === undefined) throw new Error(`${slug} was never listed`);
    return last;
  });
  return {
    tone: computed(() => toneOf(session.value)),
    status: computed(() => statusText(session.value)),
    gist: computed(() => (isSnoozed(session.value) ? '' : gistOf(session.value)) || statusText(session.value)),
    unread: computed(() => (isUnread(session.value) ? 'true' : undefined)),
    unreadWords: computed(() => (isUnread(session.value) ? 'Unread.' : '')),
    age: computed(() => ageText(session.value.elsewhere?.asOf ?? Date.parse(session.value.status.since), now.value)),
    old: computed(() => ((session.value.elsewhere?.asOf ?? null) === null ? undefined : 'true')),
    isUnknown: computed(() => session.value.context === null),
    isWarning: computed(() => String(isNearlyFull(session.value.context))),
    share: computed(() => session.value.context?.used_percentage ?? 0),
    percent: computed(() => contextPercent(session.value.context)),
    text: computed(() => `Context window: ${contextText(session.value.context)}`),
    lines: computed(() => changedLines(session.value)),
    changes: computed(() => changesFact(session.value)),
    current: computed(() => (openSlug.value === slug ? 'page' : undefined)),
    mark: computed(() => (isChoosing.value && isOwn(slug) ? String(ticked.value.has(slug)) : undefined)),
    ticks: computed(() => (isChoosing.value && ticked.value.has(slug) ? 'Chosen. ' : '')),
  };
}
