import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type SearchHit, SearchKind } from '../../protocol/index.ts';
import { client, link, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { ageText, now } from '../display/clock.ts';
import { addressOf, replaceBy } from '../navigation/router.ts';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';

/**
 * How long to wait after a keypress before searching. Users pause for this long between words, and sending a request
 * for every letter would be wasteful.
 */
const PAUSE_MS = 200;
const LIMIT = 100;
/**
 * How many seconds after its time in the transcript a text is assumed to be on the screen. In 2.1.329, this took up to
 * a second on a busy machine.
 */
const DRAWN_AFTER_S = 1.5;

const KINDS: Readonly<Record<SearchKind, string>> = {
  prompt: 'Prompts',
  answer: 'Answers',
  tool: 'Tool calls',
  screen: 'Screen',
};

/** Searches everything that sessions have said and shown. Each hit links to its place. */
export function SearchPage({ query }: { query: string }) {
  const typed = useTyped(query);
  const kind = useSignal<SearchKind | null>(null);
  const { hits, areOld, isPending } = useHits(typed.value, kind.value);
  const archived = useArchived();
  /** whether the user has pressed Enter, perhaps before the hits arrived */
  const wantsFirst = useSignal(false);
  const targetOf = (hit: SearchHit): string | null =>
    sessions.value.has(hit.session) || archived.has(hit.session) ? addressOfHit(hit) : null;

  useEffect(() => {
    if (!wantsFirst.value || hits.value === null || areOld.current) return;
    wantsFirst.value = false;
    const target = hits.value.map(targetOf).find((address) => address !== null);
    if (target != null) location.hash = target;
  }, [wantsFirst.value, hits.value]);

  return (
    <>
      <PageHead title="Search" />
      <div class="page stack">
        <div class="search-field">
          <Icon name="search" />
          <input
            ref={takeFocus}
            class="input"
            type="search"
            aria-label="Search all sessions"
            placeholder="What was said or shown; “in quotes” finds exact words"
            value={typed.value}
            onInput={({ currentTarget }) => {
              typed.value = currentTarget.value;
              areOld.current = true;
              wantsFirst.value = false;
            }}
            onKeyDown={({ key, isComposing }) => {
              if (key === 'Enter' && !isComposing) wantsFirst.value = true;
            }}
          />
        </div>
        <KindChoice kind={kind} />
        <p class="faint" role="status">
          {summary(typed.value, hits.value)}
          {isPending.value ? ' Some recordings are not indexed yet.' : ''}
        </p>
        <ol class="plain hits">
          {(hits.value ?? []).map((hit, index) => (
            <Hit key={index} hit={hit} target={targetOf(hit)} />
          ))}
        </ol>
      </div>
    </>
  );
}

/** Returns the words in the field. They follow the address. */
function useTyped(query: string): Signal<string> {
  const typed = useSignal(query);
  const lastQuery = useRef(query);
  // The address has changed, because the user followed a link or went back. If the user types quickly, this effect may
  // run for the first time after the first letters, and must not remove them.
  useEffect(() => {
    if (query === lastQuery.current) return;
    lastQuery.current = query;
    if (query !== typed.peek().trim()) typed.value = query;
  }, [query]);
  return typed;
}

/** Returns the archived sessions. They are not in any list, but their hits must be links, too. */
function useArchived(): ReadonlySet<string> {
  const archived = useSignal<ReadonlySet<string>>(new Set());
  useRead(
    link.value === 'live' ? () => client.call('listSessions', { query: { archived: 'true' } }) : null,
    {
      onRead: (found) => {
        archived.value = new Set(found.map(({ slug }) => slug));
      },
      onError: tellError,
    },
    [link.value],
  );
  return archived.value;
}

function useHits(typed: string, kind: SearchKind | null) {
  const hits = useSignal<readonly SearchHit[] | null>(null);
  const isPending = useSignal(false);
  /** whether the hits are for other words than those that are now in the field */
  const areOld = useRef(true);
  useEffect(() => {
    const q = typed.trim();
    areOld.current = true;
    if (q === '') {
      hits.value = null;
      return;
    }
    let isOld = false;
    const timer = setTimeout(async () => {
      replaceBy({ page: 'search', query: q });
      try {
        const filter = kind === null ? {} : { kind };
        const found = await client.call('search', { query: { q, limit: LIMIT, ...filter } });
        if (isOld) return;
        hits.value = found.hits;
        areOld.current = false;
        isPending.value = found.pending_bytes > 0;
      } catch (error) {
        if (!isOld) tellError(error);
      }
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [typed, kind]);
  return { hits, areOld, isPending };
}

function KindChoice({ kind }: { kind: Signal<SearchKind | null> }) {
  return (
    <fieldset class="row wrap">
      <legend class="hidden-text">Where</legend>
      {SearchKind.options.map((option) => (
        <button
          key={option}
          type="button"
          class="button"
          aria-pressed={kind.value === option}
          onClick={() => {
            kind.value = kind.value === option ? null : option;
          }}
        >
          {KINDS[option]}
        </button>
      ))}
    </fieldset>
  );
}

function takeFocus(field: HTMLInputElement | null): void {
  if (field !== null && document.activeElement === document.body) field.focus();
}

function summary(typed: string, hits: readonly SearchHit[] | null): string {
  if (typed.trim() === '') return '';
  if (hits === null) return 'Searching…';
  if (hits.length === 0) return 'No results.';
  if (hits.length >= LIMIT) return `The newest ${LIMIT}.`;
  return hits.length === 1 ? 'One result.' : `${hits.length} results.`;
}

function Hit({ hit, target }: { hit: SearchHit; target: string | null }) {
  const { session, at, kind, snippet, recording } = hit;
  const content = (
    <>
      <span class="row">
        <strong>{session}</strong>
        <span class="chip">{KINDS[kind]}</span>
        {recording !== null && recording !== session && <span class="chip mono">{recording}</span>}
        <span class="grow" />
        <time class="faint" dateTime={at} title={new Date(at).toLocaleString()}>
          {ageText(Date.parse(at), now.value)}
        </time>
      </span>
      <span class="snippet">
        <Marked text={snippet} marks={hit.highlights} />
      </span>
    </>
  );
  return (
    <li>
      {target === null ? (
        <div class="card hit">{content}</div>
      ) : (
        <a class="card hit" href={target}>
          {content}
        </a>
      )}
    </li>
  );
}

/** Returns the location that a hit links to: its place in the replay of the recording, or in the conversation. */
function addressOfHit({ session, kind, offset, t, recording, seq }: SearchHit): string {
  if (offset === null || recording === null) return addressOf({ page: 'session', slug: session, seq });
  return addressOf({
    page: 'replay',
    slug: session,
    recording: recording === session ? null : recording,
    ...(kind === 'screen' || t === null ? { offset, t: null } : { offset: null, t: t + DRAWN_AFTER_S }),
  });
}

function Marked({ text, marks }: { text: string; marks: SearchHit['highlights'] }) {
  const parts = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from < at) continue;
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}
