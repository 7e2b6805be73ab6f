import { signal } from '@preact/signals';

/** What lies over the page, one at a time. */
export const overlay = signal<'help' | 'palette' | null>(null);
