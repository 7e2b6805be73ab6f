import { effect, type Signal, signal } from '@preact/signals';

const texts = new Map<string, Signal<string>>();

/**
 * Messages that the user has not finished writing, by session. They are kept while the user views another session, and
 * when the tab is reloaded.
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
  /** Removes the drafts when the user signs out, so that nobody else can read them. */
  clear(): void {
    for (const text of texts.values()) text.value = '';
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  },
};

const PREFIX = 'cbos.draft.';
const keyOf = (slug: string): string => `${PREFIX}${slug}`;

/**
 * Drafts belong to this tab only, because the next person who opens the browser must not see them. If the browser
 * cannot store them, drafts last as long as the page is open.
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
    // The browser's storage is full or disabled, so the draft exists only in the page.
  }
}
