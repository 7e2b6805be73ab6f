import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { allGroups } from '../list/list.tsx';
import { gistOf, statusText, toneOf } from '../list/tone.ts';
import { Dialog } from '../parts/dialog.tsx';
import { overlay } from './overlay.ts';
import { goTo } from './router.ts';
import { EVERYWHERE, type Shortcut, sessionShortcuts } from './shortcuts.ts';

interface Entry {
  id: string;
  title: string;
  about: string;
  keys: string | null;
  tone: ReturnType<typeof toneOf> | null;
  run(): void;
}

const MAX_SHOWN = 12;

/** Everything by a few letters of its name: sessions first, then what can be done. */
export function Palette() {
  const query = useSignal('');
  const chosen = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const found = findEntries(query.value);
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
    else if (event.key === 'Enter') run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      label="Command palette"
      onClose={() => {
        overlay.value = null;
      }}
    >
      <div class="palette">
        <input
          class="input"
          role="combobox"
          aria-label="Go to a session, or do something"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
          placeholder="Go to a session, or do something"
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
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys
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
      </div>
    </Dialog>
  );
}

function findEntries(query: string): Entry[] {
  const entries: Entry[] = [
    ...allGroups.value
      .flatMap((group) => group.sessions)
      .map((session) => ({
        id: `session ${session.slug}`,
        title: session.slug,
        about: [statusText(session), gistOf(session)].filter(Boolean).join(' · '),
        keys: null,
        tone: toneOf(session),
        run: () => goTo({ page: 'session', slug: session.slug }),
      })),
    ...withoutRepeats([...sessionShortcuts(), ...EVERYWHERE]).map(({ keys, does, run }) => ({
      id: `shortcut ${keys}`,
      title: does,
      about: '',
      keys,
      tone: null,
      run,
    })),
  ];
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, query.trim().toLowerCase()) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .slice(0, MAX_SHOWN)
    .map(({ entry }) => entry);
}

/** An answer has two keys, its word's and its number; here it stands once. */
function withoutRepeats(shortcuts: readonly Shortcut[]): Shortcut[] {
  return shortcuts.filter(({ does }, index) => shortcuts.findIndex((other) => other.does === does) === index);
}

/** 0: not found. A title that begins so comes before one that has it, before one that has its letters in order. */
function rankOf({ title, about }: Entry, query: string): number {
  const name = title.toLowerCase();
  if (query === '') return 1;
  if (name.startsWith(query)) return 4;
  if (name.includes(query)) return 3;
  if (about.toLowerCase().includes(query)) return 2;
  let at = -1;
  for (const letter of query) {
    at = name.indexOf(letter, at + 1);
    if (at === -1) return 0;
  }
  return 1;
}
