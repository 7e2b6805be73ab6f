import { type Stats, statSync } from 'node:fs';

/** Rights of the group and of everybody else. */
const OTHERS = 0o077;

/** The file's status; null if there is no file. */
export function statIfThere(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Whether only the owner has any rights on the file. */
export function isPrivate({ mode }: Stats): boolean {
  return (mode & OTHERS) === 0;
}

/** `0755` */
export function formatMode({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8).padStart(3, '0')}`;
}
