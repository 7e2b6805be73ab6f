/** The key that begins a command in GNU Screen, and therefore also in the terminal of a session on another machine. */
const COMMAND = '\u0001';
/** The keys that leave the terminal when typed after Ctrl-A: d and Ctrl-D. */
const LEAVING: ReadonlySet<string> = new Set(['d', '\u0004']);

export interface TypedKeys {
  /** the keys that go to the session */
  keys: string;
  isLeaving: boolean;
  /** whether the last key was Ctrl-A, so that the next key completes the command */
  isOpen: boolean;
}

/**
 * Interprets typed keys as GNU Screen does: Ctrl-A d leaves the terminal, and Ctrl-A a types Ctrl-A. Screen's other
 * commands do nothing here.
 */
export function readTypedKeys(typed: string, isOpen: boolean): TypedKeys {
  let keys = '';
  let isCommand = isOpen;
  for (const key of typed) {
    if (!isCommand) {
      if (key === COMMAND) isCommand = true;
      else keys += key;
      continue;
    }
    isCommand = false;
    if (LEAVING.has(key)) return { keys, isLeaving: true, isOpen: false };
    if (key === 'a') keys += COMMAND;
  }
  return { keys, isLeaving: false, isOpen: isCommand };
}
