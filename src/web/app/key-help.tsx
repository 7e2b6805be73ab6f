import { closeOverlay } from '../navigation/overlay.ts';
import { type Shortcut, sessionShortcuts } from '../navigation/shortcuts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { EVERYWHERE } from './page-shortcuts.ts';

const IN_FIELDS: readonly Omit<Shortcut, 'run'>[] = [
  { keys: 'Enter', does: 'Send the reply; in a search, open the first result' },
  { keys: 'Shift Enter', does: 'A new line in the reply' },
  { keys: '↑', does: 'In an empty reply: earlier prompts' },
  { keys: '/', does: 'The session’s commands, at the start of a reply' },
  { keys: '@', does: 'Files in the session’s folder' },
  { keys: 'Esc', does: 'Leave the field' },
  { keys: 'Ctrl K', does: 'Command palette' },
  { keys: 'Shift Esc', does: 'Release the terminal’s keyboard' },
];

const ON_A_ROW: readonly Omit<Shortcut, 'run'>[] = [
  { keys: '↑ ↓', does: 'Previous row, next row' },
  { keys: 'Space', does: 'Choose the session' },
];

export function KeyHelp() {
  const ofSession = sessionShortcuts();
  return (
    <Dialog label="Keyboard" onClose={closeOverlay}>
      <div class="dialog-body stack">
        <h2>Keyboard</h2>
        <div class="key-columns">
          <KeyTable title="Everywhere" shortcuts={EVERYWHERE} />
          <div class="stack">
            {ofSession.length > 0 && <KeyTable title="This session" shortcuts={ofSession} />}
            <KeyTable title="While you type" shortcuts={IN_FIELDS} />
            <KeyTable title="On a row of the list" shortcuts={ON_A_ROW} />
          </div>
        </div>
      </div>
    </Dialog>
  );
}

function KeyTable({ title, shortcuts }: { title: string; shortcuts: readonly Omit<Shortcut, 'run'>[] }) {
  return (
    <section>
      <h3 class="label">{title}</h3>
      <ul class="plain key-table">
        {[...waysByDeed(shortcuts)].map(([does, ways]) => (
          <li key={does}>
            <span>{does}</span>
            <span class="key-ways">
              {ways.map((keys, index) => (
                <span key={keys}>
                  {index > 0 && <span class="faint"> or </span>}
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns each action with its keys. An answer has two keys: one for its word and one for its number. */
function waysByDeed(shortcuts: readonly Omit<Shortcut, 'run'>[]): Map<string, string[]> {
  const ways = new Map<string, string[]>();
  for (const { keys, does } of shortcuts) ways.set(does, [...(ways.get(does) ?? []), keys]);
  return ways;
}
