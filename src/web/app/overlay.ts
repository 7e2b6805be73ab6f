import { signal } from '@preact/signals';
import type { DeedName } from '../actions/deeds.ts';

/** A dialog about one session. */
export interface AboutSession {
  about: 'answer' | 'convert' | 'explain' | 'export' | 'finish' | 'fork' | 'move' | 'rename' | 'request' | 'snooze';
  slug: string;
}

/** A dialog before an action on the named sessions, before a prompt is sent to them, or about their tags. */
export interface AboutSeveral {
  about: DeedName | 'send' | 'tags';
  slugs: readonly string[];
}

export type Overlay = 'help' | 'palette' | 'list' | AboutSession | AboutSeveral;

/** The overlay above the page. There is only one at a time. */
export const overlay = signal<Overlay | null>(null);

export function closeOverlay(): void {
  overlay.value = null;
}
