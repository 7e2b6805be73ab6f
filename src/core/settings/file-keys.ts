import { CatalogueError, SETTING_ROWS } from '../../protocol/index.ts';
import type { SettingsFile } from './sources.ts';

/**
 * The tables of the user's own rules, budgets and repositories, which are read by `readUserRules`, `readBudgets` and
 * `readRepositories`.
 */
const TABLES = ['rules', 'budgets', 'repositories'];

/**
 * Rejects unknown keys, because a typo would otherwise go unnoticed.
 * @throws CatalogueError invalid_setting, with the key and how to write the setting that it seems to mean
 */
export function assertKnownKeys(file: SettingsFile): void {
  const known = SETTING_ROWS.flatMap((row) => (row.file === null ? [] : [row.file]));
  const unknown = keysOf(file.values).find((key) => !known.includes(key) && !TABLES.includes(key));
  if (unknown === undefined) return;
  // A setting under its name instead of its key, or a key after the header of another table.
  const below = unknown.slice(unknown.indexOf('.') + 1);
  const meant = SETTING_ROWS.find((row) => [unknown, below].some((key) => key === row.name || key === row.file));
  if (meant?.file === null) {
    throw new CatalogueError('invalid_setting', `${unknown} cannot be set in ${file.path}`, {
      hint: `Set ${meant.environment} in the environment`,
    });
  }
  throw new CatalogueError('invalid_setting', `${file.path} has an unknown key: ${unknown}`, {
    hint: meant === undefined ? nearestHint(unknown, known) : placeHint(meant.file),
  });
}

function nearestHint(unknown: string, known: readonly string[]): string {
  const nearest = nearestWord(unknown, known);
  return nearest === null ? `The known keys are ${known.join(', ')}` : `Did you mean ${nearest}?`;
}

function placeHint(key: string): string {
  const [table, inTable] = key.split('.');
  const above = `Write ${key} above the first table`;
  return inTable === undefined ? above : `${above}, or ${inTable} in the table [${table}]`;
}

/** Returns all keys. A key inside a table is prefixed with the table's name: `json.idle_timeout`. */
function keysOf(values: SettingsFile['values'], isTop = true): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isTable || (isTop && TABLES.includes(key))) return [key];
    const inside = keysOf(value as SettingsFile['values'], false);
    return inside.length === 0 && !isTop ? [key] : inside.map((name) => `${key}.${name}`);
  });
}

/** Returns the known word that differs in the fewest letters, or null if no word is close enough. */
export function nearestWord(word: string, candidates: readonly string[]): string | null {
  // Swapping two letters counts as two changes. If more than a third of the letters differ, it is a different word.
  const limit = Math.max(2, Math.floor(word.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, changes: countChanges(word, candidate) }))
    .filter(({ changes }) => changes <= limit)
    .sort((a, b) => a.changes - b.changes);
  return ranked[0]?.candidate ?? null;
}

/** Computes the Levenshtein distance one row at a time. */
function countChanges(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
