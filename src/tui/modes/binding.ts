import type { App } from '../app.ts';
import type { List } from '../list.ts';
import type { HelpRow, Hint, Mode } from '../mode.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { PAGER_KEYS } from './pager-keys.ts';

/**
 * A key of a mode, or several keys with a common purpose. The footer, the help page and the effect of the key come from
 * this row. `C` is what the key acts on.
 */
export interface Binding<C = App> {
  /** the names of the keys, as the terminal reports them */
  keys: readonly string[];
  /** how the footer spells the keys; if omitted, it spells the first one */
  label?: string | ((of: C) => string);
  /** what the keys do, for the footer; if omitted or null, the footer does not offer them */
  does?: string | ((of: C) => string | null);
  /** whether this row applies at the moment; if it does not, another row with the same key may */
  applies?(of: C): boolean;
  /** why the keys have no effect at the moment, or null if they have; shown to a user who presses one of them */
  disabled?(of: C): string | null;
  /** what the keys do, for the help page; if omitted, another row of the page describes them */
  help?: string;
  /** how the help page spells the keys, if not as the footer does */
  helpKeys?: string;
  run(of: C, key: string): void;
}

/** Returns the rows of the help page for some keys, in their order. */
export const helpRows = (rows: readonly HelpWords[]): HelpRow[] =>
  rows.flatMap(({ keys, label, help, helpKeys }) => {
    const named = typeof label === 'string' ? label : spelled(keys[0] ?? '');
    return help === undefined ? [] : [[helpKeys ?? named, help]];
  });

type HelpWords = Pick<Binding<never>, 'keys' | 'label' | 'help' | 'helpKeys'>;

const isActive = <C>({ applies }: Binding<C>, of: C): boolean => applies?.(of) !== false;

/**
 * Returns the footer's hints, the most important first.
 * @param order the first keys of the rows to show, in the footer's order; if omitted, all rows in their own order
 */
export function hintsOf<C>(rows: readonly Binding<C>[], of: C, order?: readonly string[]): Hint[] {
  const active = rows.filter((row) => isActive(row, of));
  const shown = order?.flatMap((key) => active.find(({ keys }) => keys[0] === key) ?? []) ?? active;
  return shown.flatMap((row): Hint[] => {
    const { does = null, label = spelled(row.keys[0] ?? ''), disabled } = row;
    const words = typeof does === 'function' ? does(of) : does;
    if (words === null || (disabled?.(of) ?? null) !== null) return [];
    return [[typeof label === 'function' ? label(of) : label, words]];
  });
}

/** Runs what a key does, or shows why it has no effect. @returns false if the key has no row */
export function press<C>(rows: readonly Binding<C>[], key: string, { of, toast }: PressOptions<C>): boolean {
  const row = rows.find((one) => one.keys.includes(key) && isActive(one, of));
  if (row === undefined) return false;
  const reason = row.disabled?.(of) ?? null;
  if (reason === null) row.run(of, key);
  else toast?.('bad', reason);
  return true;
}

interface PressOptions<C> {
  of: C;
  /** shows why a key has no effect */
  toast?: App['toast'] | undefined;
}

interface KeysOptions<C> extends PressOptions<C> {
  order?: readonly string[];
  /** handles any event that is not a key of a row, such as a typed letter */
  otherwise?: ((event: InputEvent) => void) | undefined;
}

/** Returns the hints and the keys of a mode. */
export function keysFor<C>(
  rows: readonly Binding<C>[],
  { of, toast, order, otherwise }: KeysOptions<C>,
): Pick<Mode, 'hints' | 'handle'> {
  return {
    hints: () => hintsOf(rows, of, order),
    handle(event) {
      if (event.kind !== 'key' || !press(rows, event.name, { of, toast })) otherwise?.(event);
    },
  };
}

/** Like {@link keysFor}, for rows that were created for one page. */
export const keysOf = (app: App, rows: readonly Binding[], otherwise?: (event: InputEvent) => void) =>
  keysFor(rows, { of: app, toast: app.toast, otherwise });

/** Returns the row of the keys that scroll a page, or move the selection of a list. */
export const movingBy = (
  onKey: (key: string) => unknown,
  does: string | (() => string | null) = 'choose',
): Binding<unknown> => ({
  ...{ keys: PAGER_KEYS, label: 'j/k', does },
  run: (_, key) => void onKey(key),
});

/** Returns a function that creates the rows of the keys that act on the chosen item. @param none why there is none */
export const onChosen =
  <T>({ chosen }: Pick<List<T>, 'chosen'>, none: string) =>
  (keys: readonly string[], does: string | (() => string), act: (item: T) => void): Binding<unknown> => ({
    ...{ keys, does },
    disabled: () => (chosen() === undefined ? none : null),
    run() {
      const item = chosen();
      if (item !== undefined) act(item);
    },
  });

/** Returns the row of the keys that leave a page. */
export const leavingBy = (leave: () => void, also: readonly string[] = []): Binding<unknown> => ({
  ...{ keys: ['escape', 'q', 'ctrl+c', ...also], does: 'back' },
  run: () => leave(),
});

const SPELLED: Readonly<Record<string, string>> = {
  escape: 'Esc',
  ' ': 'Space',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
};

/** Spells a key's name for the footer, such as `Ctrl+S` for `ctrl+s`. */
function spelled(name: string): string {
  const known = SPELLED[name];
  if (known !== undefined || name.length === 1) return known ?? name;
  return name
    .split('+')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('+');
}
