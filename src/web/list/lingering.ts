import { signal } from '@preact/signals';
import type { Session } from '../../protocol/index.ts';

/** How long an answered question stays in its place and shows the answer. */
const LINGER_MS = 2_000;

/** A session whose question was answered on this page a moment ago. */
export interface Lingering {
  /** the session as it was when the question was answered */
  session: Session;
  /** the answer as text */
  answer: string;
  /** the height of the question */
  heightPx: number;
}

/** The answered sessions, by slug. */
export const lingering = signal<ReadonlyMap<string, Lingering>>(new Map());

/**
 * Keeps the place of a question that is being answered, so that nothing moves under the pointer that answered it.
 * @returns a function that releases the place, some time after the answer was accepted, or immediately if it was not
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
 * Returns the slugs of the sessions that need a user, in the order in which they are shown. Each answered session keeps
 * its previous place.
 * @param before what was shown last
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
