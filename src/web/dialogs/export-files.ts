import type { Session, StoredEvent } from '../../protocol/index.ts';
import { client } from '../connection/fleet.ts';
import { conversationMarkdown } from '../conversation/as-markdown.ts';
import { EMPTY_CONVERSATION, foldEvents } from '../conversation/fold-events.ts';

/** A file format in which a session can be saved. */
export interface ExportFormat {
  title: string;
  about: string;
  /** the suffix that is appended to the session's name to form the file's name */
  ending: string;
  /** returns the file's content. @param onProgress called with the fraction that is done, from 0 to 1 */
  make(slug: string, onProgress: (done: number) => void): Promise<BlobPart[]>;
}

/** The maximum number of lines that the server returns, counting both the screen and the scrollback. */
const MOST_LINES = 100_000;
/** The maximum number of events that the server returns per request. */
const EVENTS_PAGE = 1_000;
/** The browser keeps the whole file in memory until it has been saved. */
const MOST_BYTES = 200_000_000;

const OF_A_TERMINAL: readonly ExportFormat[] = [
  {
    title: 'Text',
    about: 'The screen and its scrollback',
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
    about: 'What was said and done, as readable text',
    ending: 'md',
    make: async (slug) => {
      const { items } = foldEvents(EMPTY_CONVERSATION, await allEvents(slug));
      return [conversationMarkdown(slug, items)];
    },
  },
  {
    title: 'Events',
    about: 'Every event from Claude Code, one JSON line each',
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
    throw new Error(`The export is too large for a browser; run cbos export ${slug} on the server's machine`);
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

/** Passes a file to the browser, which saves it in the downloads folder. */
export function saveFile(name: string, content: BlobPart[]): void {
  const address = URL.createObjectURL(new Blob(content));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // After this delay, the browser has started to read the file.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
const KEPT_MS = 60_000;
