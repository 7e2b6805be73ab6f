import { type Signal, signal } from '@preact/signals';

const texts = new Map<string, Signal<string>>();

/** What is half written, per session: it stays while another one is looked at. */
export const drafts = {
  of(slug: string): Signal<string> {
    const known = texts.get(slug);
    if (known !== undefined) return known;
    const fresh = signal('');
    texts.set(slug, fresh);
    return fresh;
  },
};
