import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { GROUPINGS, type SavedView, type Session, TAG_RULE } from '../../protocol/index.ts';
import { GROUPING_WORDS } from '../../text/list-groups.ts';
import { filterWords, matchesWords, repositoryWord, tagWord, toggleWord } from '../../text/session-filter.ts';
import { client, sessions } from '../connection/fleet.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { addressOf } from '../navigation/router.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bind } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { attempt, tellError } from '../parts/toasts.tsx';
import { filter, grouping } from './arranged.ts';

/**
 * Lets the user choose how the list is grouped, and which tags and repositories it shows. Each choice takes effect
 * immediately.
 */
export function ListDialog() {
  const all = [...sessions.value.values()];
  const tags = wordsOf(all, ({ tags: own }) => (own ?? []).map(tagWord));
  const repositories = wordsOf(all, ({ repository }) => (repository == null ? [] : [repositoryWord(repository)]));
  return (
    <Dialog label="The list" onClose={closeOverlay}>
      <div class="dialog-body stack">
        <h2>The list</h2>
        <fieldset class="row wrap">
          <legend class="faint">Groups</legend>
          {GROUPINGS.map((by) => (
            <button
              key={by}
              type="button"
              class="button"
              aria-pressed={grouping.value === by}
              onClick={() => {
                grouping.value = by;
              }}
            >
              {GROUPING_WORDS[by]}
            </button>
          ))}
        </fieldset>
        <Words title="Only sessions with the tag" words={tags} all={all} />
        <Words title="Only sessions in the repository" words={repositories} all={all} />
        <Views />
        <div class="row end">
          <a class="button" href={addressOf({ page: 'archived' })} onClick={closeOverlay}>
            Archived sessions
          </a>
          {all.some(({ lost }) => lost !== undefined) && (
            <a class="button" href={addressOf({ page: 'lost' })} onClick={closeOverlay}>
              Lost sessions
            </a>
          )}
          <CloseButton>Close</CloseButton>
        </div>
      </div>
    </Dialog>
  );
}

/** The saved views, which the server stores for all faces. */
function Views() {
  const views = useSignal<readonly SavedView[]>([]);
  const name = useSignal('');
  const read = async (): Promise<void> => {
    views.value = await client.call('listViews');
  };
  useEffect(() => {
    void read().catch(tellError);
  }, []);
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    await attempt(async () => {
      await work();
      await read();
    });
  };
  const isShown = (view: SavedView): boolean => view.group === grouping.value && view.filter === filter.value;
  return (
    <fieldset class="stack">
      <legend class="faint">Saved views</legend>
      {views.value.map((view) => (
        <div key={view.name} class="row">
          <button
            type="button"
            class="button grow"
            aria-pressed={isShown(view)}
            onClick={() => {
              grouping.value = view.group;
              filter.value = view.filter;
              closeOverlay();
            }}
          >
            {view.name} <span class="faint">{view.filter}</span>
          </button>
          <button
            type="button"
            class="button quiet icon"
            aria-label={`Delete the view ${view.name}`}
            onClick={() => void change(() => client.call('removeView', { params: { name: view.name } }))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const body = { group: grouping.peek(), filter: filter.peek() };
          void change(() => client.call('saveView', { params: { name: name.value }, body }));
          name.value = '';
        }}
      >
        <input
          class="input grow"
          aria-label="Name of a new view"
          placeholder="Save this view as…"
          required
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,39}"
          title={TAG_RULE}
          {...bind(name)}
        />
        <button type="submit" class="button">
          Save
        </button>
      </form>
    </fieldset>
  );
}

/** Each choice adds a word to the filter, as if the user had typed it there. */
function Words({ title, words, all }: { title: string; words: readonly string[]; all: readonly Session[] }) {
  if (words.length === 0) return null;
  return (
    <fieldset class="row wrap">
      <legend class="faint">{title}</legend>
      {words.map((word) => (
        <button
          key={word}
          type="button"
          class="button"
          aria-pressed={filterWords(filter.value).includes(word)}
          onClick={() => {
            filter.value = toggleWord(filter.value, word);
          }}
        >
          {word} <span class="faint">{all.filter((session) => matchesWords(session, [word])).length}</span>
        </button>
      ))}
    </fieldset>
  );
}

function wordsOf(all: readonly Session[], read: (session: Session) => readonly string[]): string[] {
  return [...new Set(all.flatMap(read))].sort();
}
