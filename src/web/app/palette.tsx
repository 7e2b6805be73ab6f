import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { elsewhereOf, type SeenSession } from '../../protocol/index.ts';
import { sessions } from '../connection/fleet.ts';
import { densityChoice } from '../display/density.ts';
import { type ThemeChoice, themeChoice } from '../display/theme.ts';
import { allGroups, openSlug } from '../list/arranged.ts';
import { gistOf, statusText, toneOf } from '../list/tone.ts';
import { closeOverlay, overlay } from '../navigation/overlay.ts';
import { goTo } from '../navigation/router.ts';
import { type Shortcut, sessionShortcuts } from '../navigation/shortcuts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { sessionCommands } from '../session/session-commands.ts';
import { EVERYWHERE } from './page-shortcuts.ts';

interface Entry {
  id: string;
  title: string;
  about: string;
  /** other words by which users may search for the entry */
  also?: string;
  keys: string | null;
  tone: ReturnType<typeof toneOf> | null;
  run(): void;
}

const MAX_SHOWN = 12;

/**
 * Finds everything by a few letters of its name: sessions first, then actions. The list changes only when the user
 * types another letter. Otherwise an entry could move at the wrong moment, and the user would start an action without
 * having read its name.
 */
export function Palette() {
  const query = useSignal('');
  const chosen = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => findEntries(query.value), [query.value]);
  const at = Math.min(chosen.value, Math.max(0, found.length - 1));
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    overlay.value = null;
    entry.run();
  };
  const handleKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) chosen.value = (at + step + found.length) % Math.max(1, found.length);
    else if (event.key === 'Enter' && !event.repeat && !event.isComposing) run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Command palette" onClose={closeOverlay}>
      <div class="palette">
        <input
          class="input"
          role="combobox"
          aria-label="Go to a session, or run a command"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
          placeholder="Go to a session, or run a command"
          autocomplete="off"
          spellcheck={false}
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={handleKey}
        />
        <div id="palette-list" ref={list} class="palette-list" role="listbox" aria-label="Found">
          {found.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and handles the keys
            <div
              key={entry.id}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => run(entry)}
            >
              {entry.tone === null ? <span class="dot none" /> : <span class="dot" data-tone={entry.tone} />}
              <span>{entry.title}</span>
              <span class="faint grow clip">{entry.about}</span>
              {entry.keys !== null && <kbd>{entry.keys}</kbd>}
            </div>
          ))}
        </div>
        {found.length === 0 && (
          <p class="faint" role="status">
            No results
          </p>
        )}
      </div>
    </Dialog>
  );
}

function findEntries(query: string): Entry[] {
  const typed = query.trim().toLowerCase();
  return entriesFor(typed)
    .map((entry) => ({ entry, rank: rankOf(entry, typed) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .slice(0, MAX_SHOWN)
    .map(({ entry }) => entry);
}

function entriesFor(typed: string): Entry[] {
  const all = allGroups.peek().flatMap((group) => group.sessions);
  const open = sessions.peek().get(openSlug.peek() ?? '');
  // List actions with the keys that they have on the session's own page.
  const keyed = [...sessionShortcuts(), ...EVERYWHERE].filter(({ answers }) => answers !== true);
  const others = typed === '' ? [] : all.filter((session) => session !== open);
  return [
    ...all.map(sessionEntry),
    ...(open === undefined ? [] : commandEntries(open)),
    ...keyed.map(keyEntry),
    ...others.flatMap(commandEntries),
    ...ofThePage(all),
  ];
}

function sessionEntry(session: SeenSession): Entry {
  return {
    id: `session ${session.slug}`,
    title: session.slug,
    about: [statusText(session), gistOf(session)].filter(Boolean).join(' · '),
    keys: null,
    tone: toneOf(session),
    run: () => goTo({ page: 'session', slug: session.slug }),
  };
}

function commandEntries(session: SeenSession): Entry[] {
  return sessionCommands(session).map(({ title, also, run }) => ({
    id: `command ${title}`,
    title,
    also,
    about: statusText(session),
    keys: null,
    tone: null,
    run,
  }));
}

function keyEntry({ keys, does, run }: Shortcut): Entry {
  return { id: `shortcut ${keys}`, title: does, about: '', keys, tone: null, run };
}

const THEMES: readonly { choice: ThemeChoice; title: string }[] = [
  { choice: 'dark', title: 'Theme: dark' },
  { choice: 'light', title: 'Theme: light' },
  { choice: 'system', title: 'Theme: same as the system' },
];

function ofThePage(all: readonly SeenSession[]): Entry[] {
  const isDense = densityChoice.peek() === 'dense';
  const slugs = all
    .filter((session) => elsewhereOf(session) === null && session.adopted && session.status.primary !== 'dead')
    .map(({ slug }) => slug);
  const entry = (title: string, run: () => void, also = ''): Entry => ({
    id: `page ${title}`,
    title,
    also,
    about: '',
    keys: null,
    tone: null,
    run,
  });
  return [
    entry(
      `Broadcast to all ${slugs.length} sessions…`,
      () => {
        overlay.value = { about: 'send', slugs };
      },
      'send text everybody',
    ),
    ...THEMES.map(({ choice, title }) =>
      entry(title, () => {
        themeChoice.value = choice;
      }),
    ),
    entry(
      isDense ? 'Rows: roomy' : 'Rows: dense',
      () => {
        densityChoice.value = isDense ? 'roomy' : 'dense';
      },
      'density compact list',
    ),
  ];
}

/**
 * Returns how well an entry matches the query, or 0 if it does not match. Titles that begin with the query rank
 * highest, followed by titles that contain its words, and titles that contain its letters in the same order.
 */
function rankOf({ title, about, also = '' }: Entry, query: string): number {
  const name = title.toLowerCase();
  if (query === '') return 1;
  if (name.startsWith(query)) return 6;
  const words = query.split(/\s+/);
  const has = (text: string): boolean => words.every((word) => text.includes(word));
  if (has(name)) return name.startsWith(words[0] ?? '') ? 5 : 4;
  if (has(`${name} ${also}`)) return 3;
  if (has(`${name} ${also} ${about.toLowerCase()}`)) return 2;
  let at = -1;
  for (const letter of query) {
    at = name.indexOf(letter, at + 1);
    if (at === -1) return 0;
  }
  return 1;
}
