/** The key that starts a command in GNU Screen, and therefore also in the terminal of a session on another machine. */
const COMMAND = '\u0001';
/** Ctrl-A d and Ctrl-A Ctrl-D leave the terminal. */
const LEAVING: ReadonlySet<string> = new Set(['d', '\u0004']);

export interface TypedKeys {
  /** the keys for the session */
  keys: string;
  isLeaving: boolean;
  /** whether the last key was Ctrl-A, so that the next one belongs to it */
  isOpen: boolean;
}

/**
 * Reads typed keys like GNU Screen: Ctrl-A d leaves, Ctrl-A a types Ctrl-A. Screen's other commands do not exist here,
 * so they do nothing.
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
