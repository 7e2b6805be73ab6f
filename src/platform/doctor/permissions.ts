import { type Stats, statSync } from 'node:fs';

/** The permission bits of the group and of all other users. */
const OTHERS = 0o077;

/** Returns the status of a file, or null if the file does not exist. */
export function statIfThere(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Reports whether no one but the owner has any rights on the file. */
export function isPrivate({ mode }: Stats): boolean {
  return (mode & OTHERS) === 0;
}

/** Formats a file mode as `0755`. */
export function formatMode({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8).padStart(3, '0')}`;
}
