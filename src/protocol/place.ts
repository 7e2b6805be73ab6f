import type { Session } from './session.ts';

/**
 * Returns the folder in which a session works now: its place, if the model or a person has moved it, or else the folder
 * in which it was started. An older server does not report a place.
 */
export const placeOf = ({ path, place }: Pick<Session, 'path' | 'place'>): string | null => place ?? path;

/** Reports whether a path is a folder or inside it. */
export const isInside = (path: string | null, folder: string): boolean =>
  path === folder || path?.startsWith(`${folder}/`) === true;
