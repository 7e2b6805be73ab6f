import { signal } from '@preact/signals';
import type { Session } from '../../protocol/index.ts';

/** How long an answered question stays where it was, saying what was answered. */
const LINGER_MS = 2_000;

/** A session whose question was answered here a moment ago. */
export interface Lingering {
  /** as it was when it was answered */
  session: Session;
  /** the answer in words */
  answer: string;
  /** of the question that stood there */
  heightPx: number;
}

/** By slug. */
export const lingering = signal<ReadonlyMap<string, Lingering>>(new Map());

/**
 * Keeps the place of a question that is being answered: nothing slides under the pointer that has just answered it.
 * @returns gives the place up, a while after the answer was taken, or at once where it was not
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
 * The slugs in the order in which they are shown: those that need a person, and each that lingers where it stood
 * before.
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
