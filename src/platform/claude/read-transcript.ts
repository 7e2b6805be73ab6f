import type { StoredEvent, TranscriptPage } from '../../protocol/index.ts';
import { openRegularFile } from '../files/regular-file.ts';
import { parseRow } from './transcript-row.ts';

/**
 * How much is read at once, which amounts to a few hundred messages. A line that is longer contains an image and is
 * skipped.
 */
const PAGE_BYTES = 1_048_576;
const LINE_FEED = 0x0a;

const NOTHING: Omit<TranscriptPage, 'claude_session_id'> = { events: [], from: 0, end: 0 };

/**
 * Reads a transcript as the events of a JSON session. This works because both contain messages in the format of the
 * Messages API.
 * @param after the position in bytes where the previous part ended, or null to get the newest part; a position beyond
 * the end belongs to another file and also yields the newest part
 */
export async function readTranscript(
  path: string,
  after: number | null,
): Promise<Omit<TranscriptPage, 'claude_session_id'>> {
  const file = await openRegularFile(path).catch((error: NodeJS.ErrnoException) => {
    // Claude Code reports the path of the file before it writes the file.
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code ?? '')) return null;
    throw error;
  });
  if (file === null) return NOTHING;
  try {
    const { size } = await file.stat();
    const isNewest = after === null || after > size;
    const start = isNewest ? Math.max(0, size - PAGE_BYTES) : after;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(PAGE_BYTES, size - start)), 0, null, start);
    const bytes = buffer.subarray(0, bytesRead);
    // If a part begins in the middle of a line, reading starts at the next line.
    const from = isNewest && start > 0 ? bytes.indexOf(LINE_FEED) + 1 : 0;
    const wholeTo = bytes.lastIndexOf(LINE_FEED) + 1;
    const isCut = wholeTo === 0 && bytesRead === PAGE_BYTES;
    return {
      events: eventsOf(bytes.subarray(from, wholeTo), start + from),
      from: start + from,
      end: start + (isCut ? bytesRead : wholeTo),
    };
  } finally {
    await file.close();
  }
}

function eventsOf(bytes: Buffer, start: number): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at) + 1;
    const event = eventOf(bytes.subarray(at, end).toString('utf8'));
    if (event !== null) events.push({ seq: start + end, ...event });
    at = end;
  }
  return events;
}

/**
 * null for a line that contains nothing for users to read, and for a line that is not JSON because it is the rest of a
 * skipped line
 */
function eventOf(line: string): Omit<StoredEvent, 'seq'> | null {
  const record = parseRow(line);
  if (record === null) return null;
  const { type, subtype, message, uuid } = record;
  const timestamp = Date.parse(String(record.timestamp)) / 1_000;
  if (Number.isNaN(timestamp)) return null;
  if (type === 'system' && subtype === 'compact_boundary') return { timestamp, event: { type, subtype } };
  // Matches a slash command together with its output, in the tags of a prompt. In a JSON session, both are prompts
  // (2.1.330).
  if (type === 'system' && subtype === 'local_command' && typeof record.content === 'string') {
    const said = { role: 'user', content: record.content };
    return { timestamp, event: { type: 'user', message: said, uuid, parent_tool_use_id: null } };
  }
  // Matches the notice that a slash command was not carried out. No other line mentions that command (2.1.330).
  if (type === 'system' && subtype === 'informational' && record.level === 'warning') {
    return { timestamp, event: { type, subtype, level: record.level, content: record.content, uuid } };
  }
  if (type !== 'user' && type !== 'assistant') return null;
  return {
    timestamp,
    event: {
      type,
      message,
      uuid,
      parent_tool_use_id: record.isSidechain === true ? 'subagent' : null,
      ...(record.isMeta === true || record.isCompactSummary === true ? { isSynthetic: true } : {}),
    },
  };
}
