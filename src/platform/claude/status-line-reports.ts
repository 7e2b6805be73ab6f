import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ContextWindow, parseJson } from '../../protocol/index.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { watchDirectory } from '../files/watch-directory.ts';

/** What Claude Code reports to the status line. A field is null if it was missing or had an impossible value. */
export interface StatusLineReport {
  /** the id of the Claude Code conversation */
  sessionId: string;
  model: string | null;
  effort: string | null;
  context: ContextWindow | null;
  /** the total cost since Claude Code was started */
  costUsd: number | null;
  linesAdded: number | null;
  linesRemoved: number | null;
}

/**
 * The maximum size of a report in bytes. Claude Code writes 1.5 kB, but other programs in a session could write
 * anything.
 */
const MOST_BYTES = 64_000;
/** The maximum length of a name that faces show in a row of a list. */
const MOST_CHARS = 100;
/** An amount in dollars that no session could ever cost. A higher figure is treated as missing. */
const MOST_USD = 1_000_000;

const Count = z.int().min(0);
const Name = z.string().min(1).max(MOST_CHARS);
const orNull = <T extends z.ZodType>(shape: T) => shape.nullable().catch(null);

/** `current_usage` is null before the first answer. It covers only the last request. */
const Usage = z.object({
  input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
});

const Told = z.object({
  session_id: z.string(),
  model: orNull(z.object({ id: Name })),
  effort: orNull(z.object({ level: Name })),
  cost: orNull(
    z.object({
      total_cost_usd: orNull(z.number().min(0).max(MOST_USD)),
      total_lines_added: orNull(Count),
      total_lines_removed: orNull(Count),
    }),
  ),
  context_window: orNull(
    z.object({
      context_window_size: Count.min(1),
      current_usage: Usage,
      used_percentage: z.number().min(0).max(1_000),
    }),
  ),
});

/** @returns null if the text is not a report from Claude Code */
export function parseReport(text: string): StatusLineReport | null {
  const parsed = Told.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { session_id: sessionId, model, effort, cost, context_window: window } = parsed.data;
  return {
    sessionId,
    model: model?.id ?? null,
    effort: effort?.level ?? null,
    context: window === null ? null : contextOf(window),
    costUsd: cost?.total_cost_usd ?? null,
    linesAdded: cost?.total_lines_added ?? null,
    linesRemoved: cost?.total_lines_removed ?? null,
  };
}

function contextOf({
  context_window_size,
  current_usage: usage,
  used_percentage,
}: NonNullable<z.infer<typeof Told>['context_window']>): ContextWindow {
  return {
    used_tokens: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
    size_tokens: context_window_size,
    used_percentage,
  };
}

/** The minimum time between two readings of a session's reports. Claude Code reports at most every 300 ms (2.1.330). */
const READ_EVERY_MS = 250;

export interface ReportsOptions {
  /** the directory of the reports, which is created with mode 0700 if it is missing */
  dir: string;
  /** the launches whose reports are needed; the files of other launches are not read */
  launches: () => readonly string[];
  /** called with the newest report of a launch */
  onReport: (launchId: string, report: StatusLineReport) => void;
  /** called when a report cannot be read; the watch continues nevertheless */
  onError: (error: unknown) => void;
}

/** Watches the taps' reports through inotify. @returns a function that ends the watch */
export function watchReports({ dir, launches, onReport, onError }: ReportsOptions): () => void {
  /**
   * the launches whose report has just been read, with a flag that tells whether another report has arrived since then
   */
  const resting = new Map<string, { timer: NodeJS.Timeout; isMore: boolean }>();
  let isDisposed = false;
  const make = (): void => {
    try {
      if (!existsSync(dir)) mkdirSync(dir, { mode: 0o700 });
      chmodSync(dir, 0o700);
    } catch (error) {
      // In this case, the home is missing too, or its disk is full. The next sweep tries again.
      onError(error);
    }
  };
  const read = async (launchId: string): Promise<void> => {
    try {
      const text = await readRegularFile(join(dir, `${launchId}.json`), { mostBytes: MOST_BYTES, followsLinks: false });
      const report = text === null ? null : parseReport(text);
      if (report !== null && !isDisposed) onReport(launchId, report);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onError(error);
    }
  };
  const readSoon = (launchId: string): void => {
    const rest = resting.get(launchId);
    if (rest !== undefined) {
      rest.isMore = true;
      return;
    }
    const timer = setTimeout(() => {
      const isMore = resting.get(launchId)?.isMore === true;
      resting.delete(launchId);
      if (isMore) readSoon(launchId);
    }, READ_EVERY_MS);
    timer.unref();
    resting.set(launchId, { timer, isMore: false });
    void read(launchId);
  };
  make();
  removeOthers(dir, new Set(launches())).catch(onError);
  const stop = watchDirectory({
    dir,
    onChange: (name) => {
      if (name === null) launches().forEach(readSoon);
      else if (name.endsWith('.json')) {
        const launchId = name.slice(0, -'.json'.length);
        if (launches().includes(launchId)) readSoon(launchId);
      }
    },
    onMissing: make,
  });
  return () => {
    isDisposed = true;
    stop();
    for (const { timer } of resting.values()) clearTimeout(timer);
    resting.clear();
  };
}

/** The age at which a draft counts as stale. A tap renames its draft within milliseconds. */
const STALE_DRAFT_MS = 3_600_000;

/** Removes the reports of launches that have ended, and the drafts that killed taps left behind. */
async function removeOthers(dir: string, known: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(dir)) {
    const isWanted = name.startsWith('.')
      ? Date.now() - ((await lstat(join(dir, name)).catch(() => null))?.mtimeMs ?? 0) < STALE_DRAFT_MS
      : known.has(name.replace(/\.json$/, ''));
    if (!isWanted) await rm(join(dir, name), { force: true, recursive: true });
  }
}
