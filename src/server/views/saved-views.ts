import { z } from 'zod';
import { CatalogueError, isTag, MOST_VIEWS, SavedView, TAG_RULE, type ViewArrangement } from '../../protocol/index.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';

/** The saved views of the session list, which all faces share. They are stored in one file in the home. */
export interface SavedViews {
  /** by name */
  list(): readonly SavedView[];
  /** @throws CatalogueError invalid_request for an invalid name, or if there are too many views */
  save(name: string, arrangement: ViewArrangement): SavedView;
  /** @throws CatalogueError no_such_view */
  remove(name: string): SavedView;
}

const Kept = z.array(SavedView);

export function createSavedViews(file: string): SavedViews {
  let kept: readonly SavedView[] = readPrivateFile(file, Kept) ?? [];
  const keep = (next: readonly SavedView[]): void => {
    const inOrder = [...next].sort((one, other) => (one.name < other.name ? -1 : 1));
    // The change is saved before it takes effect, so on a full disk, nothing changes.
    writePrivateFile(file, inOrder);
    kept = inOrder;
  };
  return {
    list: () => kept,
    save: (name, arrangement) => {
      if (!isTag(name))
        throw new CatalogueError('invalid_request', `${JSON.stringify(name)} isn't a valid view name`, {
          hint: `View names follow the same rule as tags: ${TAG_RULE}`,
        });
      const others = kept.filter((view) => view.name !== name);
      if (others.length >= MOST_VIEWS) {
        const hint = 'Delete one first with `cbos views rm NAME`';
        throw new CatalogueError('invalid_request', `There can be at most ${MOST_VIEWS} saved views`, { hint });
      }
      const view = { name, ...arrangement };
      keep([...others, view]);
      return view;
    },
    remove: (name) => {
      const view = kept.find((one) => one.name === name);
      if (view === undefined) throw new CatalogueError('no_such_view', `No view is named ${JSON.stringify(name)}`);
      keep(kept.filter((one) => one !== view));
      return view;
    },
  };
}
