import { effect, type Signal, signal } from '@preact/signals';

const texts = new Map<string, Signal<string>>();

/**
 * What is half written, per session: it stays while another one is looked at, and when the page is loaded anew in its
 * tab.
 */
export const drafts = {
  of(slug: string): Signal<string> {
    const known = texts.get(slug);
    if (known !== undefined) return known;
    const fresh = signal(read(slug));
    texts.set(slug, fresh);
    effect(() => write(slug, fresh.value));
    return fresh;
  },
  /** At sign-out: what was written stays with who wrote it. */
  clear(): void {
    for (const text of texts.values()) text.value = '';
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  },
};

const PREFIX = 'cbos.draft.';
const keyOf = (slug: string): string => `${PREFIX}${slug}`;

/**
 * Of this tab only: a draft is no business of whoever opens the browser next. Where the browser keeps nothing, a draft
 * lasts as long as the page.
 */
function read(slug: string): string {
  try {
    return sessionStorage.getItem(keyOf(slug)) ?? '';
  } catch {
    return '';
  }
}

function write(slug: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(slug));
    else sessionStorage.setItem(keyOf(slug), text);
  } catch {
    // It is full, or shut: the draft is in the page.
  }
}
