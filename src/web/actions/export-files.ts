import type { Session, StoredEvent } from '../../protocol/index.ts';
import { client } from '../connection/fleet.ts';
import { conversationMarkdown } from '../conversation/as-markdown.ts';
import { EMPTY_CONVERSATION, foldEvents } from '../conversation/fold-events.ts';

/** A file that a session can be saved as. */
export interface ExportFormat {
  title: string;
  about: string;
  /** what is put behind the session's name */
  ending: string;
  /** its content. @param onProgress how much of it is there, from 0 to 1 */
  make(slug: string, onProgress: (done: number) => void): Promise<BlobPart[]>;
}

/** Lines of the screen and what scrolled off it: the most that the server gives. */
const MOST_LINES = 100_000;
/** Events asked for at once: the most that the server gives. */
const EVENTS_PAGE = 1_000;
/** A browser keeps all of a file in memory until it is saved. */
const MOST_BYTES = 200_000_000;

const OF_A_TERMINAL: readonly ExportFormat[] = [
  {
    title: 'Text',
    about: 'The screen and what scrolled off it',
    ending: 'txt',
    make: async (slug) => {
      const query = { lines: MOST_LINES, format: 'text' } as const;
      return [(await client.call('buffer', { params: { slug }, query })).buffer, '\n'];
    },
  },
  {
    title: 'Recording',
    about: 'asciicast, for asciinema and its players',
    ending: 'cast',
    make: asciicast,
  },
];

const OF_A_CONVERSATION: readonly ExportFormat[] = [
  {
    title: 'Markdown',
    about: 'What was said and done, to be read',
    ending: 'md',
    make: async (slug) => {
      const { items } = foldEvents(EMPTY_CONVERSATION, await allEvents(slug));
      return [conversationMarkdown(slug, items)];
    },
  },
  {
    title: 'Events',
    about: 'All that Claude Code sent, a JSON line each',
    ending: 'jsonl',
    make: async (slug) => (await allEvents(slug)).map((event) => `${JSON.stringify(event)}\n`),
  },
];

export function exportFormats({ type }: Pick<Session, 'type'>): readonly ExportFormat[] {
  return type === 'json' ? OF_A_CONVERSATION : OF_A_TERMINAL;
}

async function allEvents(slug: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { events: StoredEvent[]; next: number | null } = await client.call('events', {
      params: { slug },
      query: { after, limit: EVENTS_PAGE },
    });
    events.push(...page.events);
    after = page.next;
  }
  return events;
}

async function asciicast(slug: string, onProgress: (done: number) => void): Promise<BlobPart[]> {
  const params = { slug };
  const info = await client.call('replay', { params });
  if (info.size_bytes > MOST_BYTES) {
    throw new Error(`It is too large for a browser: cbos export ${slug} writes it on the server's machine`);
  }
  const { cols: width, rows: height, started_at: startedAt } = info;
  const timestamp = startedAt === null ? {} : { timestamp: Math.floor(Date.parse(startedAt) / 1_000) };
  const lines: BlobPart[] = [`${JSON.stringify({ version: 2, width, height, title: slug, ...timestamp })}\n`];
  for (let from: number | null = 0; from !== null; ) {
    const { events, next }: { events: unknown[]; next: number | null } = await client.call('replayOutput', {
      params,
      query: { from },
    });
    lines.push(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    if (next !== null) onProgress(info.duration_s === 0 ? 0 : next / info.duration_s);
    from = next;
  }
  return lines;
}

/** Hands a file to the browser, which saves it where it saves all of them. */
export function saveFile(name: string, content: BlobPart[]): void {
  const address = URL.createObjectURL(new Blob(content));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
const KEPT_MS = 60_000;
