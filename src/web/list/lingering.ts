import { signal } from '@preact/signals';
import type { Session } from '../../protocol/index.ts';

/** How long an answered question keeps its place and shows the answer. */
const LINGER_MS = 2_000;

/** A session whose question the user has just answered on this page. */
export interface Lingering {
  /** the session at the time when the question was answered */
  session: Session;
  /** the answer in words, to show to the user */
  answer: string;
  /** the height of the question on the page */
  heightPx: number;
}

/** The sessions that the user has just answered, by slug. */
export const lingering = signal<ReadonlyMap<string, Lingering>>(new Map());

/**
 * Keeps the place of a question that the user has just answered, so that nothing moves under the pointer.
 * @returns a function that gives up the place, either after a while if the answer was accepted, or immediately if it
 * was refused
 */
export function linger(answered: Lingering): (wasTaken: boolean) => void {
  const { slug } = answered.session;
  lingering.value = new Map(lingering.value).set(slug, answered);
  const leave = (): void => {
    if (lingering.value.get(slug) !== answered) return;
    const rest = new Map(lingering.value);
    rest.delete(slug);
    lingering.value = rest;
  };
  return (wasTaken) => {
    if (wasTaken) window.setTimeout(leave, LINGER_MS);
    else leave();
  };
}

/**
 * Returns the slugs of the sessions that need the user, in the order in which they are shown. Sessions that have just
 * been answered keep their previous places.
 * @param before the slugs that were shown before
 */
export function keepInPlace(
  before: readonly string[],
  needing: readonly string[],
  staying: { has(slug: string): boolean },
): string[] {
  const shown = [...needing];
  before.forEach((slug, place) => {
    if (staying.has(slug) && !needing.includes(slug)) shown.splice(place, 0, slug);
  });
  return shown;
}
