import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { client, sessions } from '../connection/fleet.ts';
import { bind } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { tellError } from '../parts/toasts.tsx';

const MAX_SHOWN = 8;

/**
 * A field for a folder on the server's machine, with completion. Tab accepts the first suggestion, and arrow keys
 * choose one.
 */
export function FolderField({ path }: { path: Signal<string> }) {
  const found = useSignal<readonly string[]>([]);
  const chosen = useSignal(-1);
  const isOpen = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  // When the user creates a session, the folder is the first field to fill in.
  useLayoutEffect(() => field.current?.focus(), []);

  useEffect(() => {
    if (!isOpen.value) return;
    let isOld = false;
    client
      .call('completeFolder', { query: { path: path.value } })
      .then(({ folders }) => {
        if (isOld) return;
        found.value = folders.filter((folder) => folder !== path.value).slice(0, MAX_SHOWN);
        chosen.value = -1;
      })
      .catch(tellError);
    return () => {
      isOld = true;
    };
  }, [path.value, isOpen.value]);

  const take = (folder: string | undefined): void => {
    // The trailing slash makes the field offer the folders inside this one next.
    if (folder !== undefined) path.value = `${folder}/`;
  };
  const handleKey = (event: KeyboardEvent): void => {
    const { value: folders } = found;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && folders.length > 0) chosen.value = (chosen.value + step + folders.length) % folders.length;
    else if (event.key === 'Tab' && !event.shiftKey && folders.length > 0) take(folders[Math.max(0, chosen.value)]);
    else if (event.key === 'Enter' && chosen.value >= 0) take(folders[chosen.value]);
    else if (event.key === 'Escape' && found.value.length > 0) found.value = [];
    else return;
    event.preventDefault();
  };

  return (
    <div class="field folder-field">
      <label for="folder">Folder</label>
      <input
        ref={field}
        id="folder"
        class="input mono"
        required
        role="combobox"
        aria-expanded={found.value.length > 0}
        aria-controls="folders"
        aria-activedescendant={chosen.value >= 0 ? `folder-${chosen.value}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder="~/src/project"
        {...bind(path)}
        onFocus={() => {
          isOpen.value = true;
        }}
        onBlur={() => {
          isOpen.value = false;
          found.value = [];
        }}
        onKeyDown={handleKey}
      />
      <FolderList found={found.value} chosen={chosen.value} onTake={take} />
      {path.value === '' && <RecentFolders path={path} />}
    </div>
  );
}

interface FolderListProps {
  found: readonly string[];
  chosen: number;
  onTake(folder: string): void;
}

function FolderList({ found, chosen, onTake }: FolderListProps) {
  if (found.length === 0) return null;
  return (
    <div id="folders" class="folder-list" role="listbox" aria-label="Folders">
      {found.map((folder, index) => (
        <div
          key={folder}
          id={`folder-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          class="mono clip"
          onPointerDown={(event) => {
            // Keep the focus in the field, because the list would disappear otherwise.
            event.preventDefault();
            onTake(folder);
          }}
        >
          <Icon name="folder" />
          {folder}
        </div>
      ))}
    </div>
  );
}

/** Offers the folders of the sessions in the list. */
function RecentFolders({ path }: { path: Signal<string> }) {
  const recent = [...new Set([...sessions.value.values()].flatMap((session) => session.path ?? []))].slice(0, 5);
  if (recent.length === 0) return null;
  return (
    <div class="row wrap recent">
      {recent.map((folder) => (
        <button
          key={folder}
          type="button"
          class="button"
          onClick={() => {
            path.value = folder;
          }}
        >
          <bdi class="clip-start">{folder}</bdi>
        </button>
      ))}
    </div>
  );
}
