import { type Stats, statSync } from 'node:fs';

/** Rights of the group and of everybody else. */
const OTHERS = 0o077;

/** The file's facts, null where there is none. */
export function statIfThere(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Whether nobody but the owner may do anything with it. */
export function isPrivate({ mode }: Stats): boolean {
  return (mode & OTHERS) === 0;
}

/** `0755` */
export function formatMode({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8).padStart(3, '0')}`;
}
