import { signal } from '@preact/signals';
import type { DeedName } from '../actions/deeds.ts';

/** A dialog that concerns one session. */
export interface AboutSession {
  about:
    | 'answer'
    | 'convert'
    | 'explain'
    | 'export'
    | 'finish'
    | 'fork'
    | 'move'
    | 'rename'
    | 'request'
    | 'set-up'
    | 'snooze';
  slug: string;
}

/** A dialog about the named sessions: to confirm an action on them, to send them a prompt, or to change their tags. */
export interface AboutSeveral {
  about: DeedName | 'send' | 'tags';
  slugs: readonly string[];
}

export type Overlay = 'help' | 'palette' | 'list' | AboutSession | AboutSeveral;

/** The overlay above the page. Only one is open at a time. */
export const overlay = signal<Overlay | null>(null);

export function closeOverlay(): void {
  overlay.value = null;
}
