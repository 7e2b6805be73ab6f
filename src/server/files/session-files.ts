import type { FileHandle } from 'node:fs/promises';
import { mentionFiles } from '../../core/files/index.ts';
import { toHomeError } from '../../platform/sqlite/home-fault.ts';
import { CatalogueError, type Delivery, type Send, type Session, type StoredFile } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { type ArrivingFile, createFileStore } from './file-store.ts';

/**
 * The largest allowed number of files in one session. If all of them have the largest allowed size, they take up 2.5
 * GB.
 */
const MOST_FILES = 100;

const DAY_MS = 86_400_000;
const FIRST_TIDY_MS = 20_000;
const TIDY_MS = 3_600_000;

/** Gives the faces access to the files that were sent into sessions. */
export interface SessionFiles {
  /** the maximum size of a file, in bytes */
  mostBytes: number;
  /** @throws CatalogueError no_such_session, file_too_large, too_many_files, files_unavailable, disk_full */
  add(slug: string, file: ArrivingFile): Promise<StoredFile>;
  /** @throws CatalogueError no_such_session */
  list(slug: string): Promise<StoredFile[]>;
  /** @throws CatalogueError no_such_session, file_not_stored */
  open(slug: string, id: string): Promise<{ file: StoredFile; handle: FileHandle }>;
  /** @throws CatalogueError no_such_session, file_not_stored, file_in_use */
  remove(slug: string, id: string): Promise<StoredFile>;
}

export interface KeptFiles {
  files: SessionFiles;
  /** the sessions, whose prompts may mention stored files and whose files are removed when the session is deleted */
  sessions: Sessions;
  /** Removes the files of sessions that no longer exist or were stopped long ago. */
  tidy(): Promise<void>;
  dispose: Dispose;
}

export interface FilesOptions {
  sessions: Sessions;
  /** returns the id of a session, which does not change when the session is renamed */
  idOf(slug: string): string;
  /** the directory in which the files are stored */
  dir: string;
  settings: { max_file_size: number; keep_files_days: number };
  clock: Clock;
  log: Logger;
}

export function keepFiles({ sessions, idOf, dir, settings, clock, log }: FilesOptions): KeptFiles {
  const store = createFileStore(dir, { bytes: settings.max_file_size, files: MOST_FILES });
  /**
   * the paths of the files mentioned in prompts that are being passed on to their session, each with the number of such
   * prompts
   */
  const passing = new Map<string, number>();

  /**
   * Throws if a prompt mentions the file and the session may not have read it yet. During a turn, a delivered prompt
   * may be in Claude Code's own queue. Claude Code reads the mentioned files only when it takes the prompt from that
   * queue (2.1.330).
   * @throws CatalogueError file_in_use
   */
  function requireUnused(slug: string, { name, path }: StoredFile): void {
    const naming = sessions.deliveries(slug).filter(({ text }) => text.includes(path));
    if (passing.has(path) || naming.some(({ status }) => status === 'queued' || status === 'sent')) {
      throw new CatalogueError('file_in_use', `A prompt that ${slug} has not read yet mentions ${name}`);
    }
    const { primary } = sessions.get(slug).status;
    if (primary === 'idle' || primary === 'dead' || !naming.some(({ status }) => status === 'delivered')) return;
    const hint = `Delete the file when the turn is over; \`cbos wait ${slug}\` waits for that`;
    throw new CatalogueError(
      'file_in_use',
      `${slug} may not have read ${name} yet, because its turn is still running`,
      { hint },
    );
  }

  async function sendWithFiles(slug: string, ids: readonly string[], request: Send): Promise<Delivery> {
    const sessionId = idOf(slug);
    const found = await Promise.all([...new Set(ids)].map((id) => store.find(sessionId, id)));
    const paths = found.map(({ path }) => path);
    for (const path of paths) passing.set(path, (passing.get(path) ?? 0) + 1);
    try {
      const text = mentionFiles(request.text, paths, { isCommand: request.command === true });
      return await sessions.send(slug, { ...request, text });
    } finally {
      for (const path of paths) {
        const left = (passing.get(path) ?? 1) - 1;
        if (left > 0) passing.set(path, left);
        else passing.delete(path);
      }
    }
  }

  const isOver = ({ status, last_activity: at }: Session): boolean => {
    if (status.primary !== 'dead') return false;
    return at === null || Date.parse(at) < clock.now() - settings.keep_files_days * DAY_MS;
  };

  async function tidy(): Promise<void> {
    const known = new Map([...sessions.list(), ...sessions.archived()].map((one) => [idOf(one.slug), one]));
    for (const { sessionId, changedAt } of await store.owners()) {
      const session = known.get(sessionId);
      // A session is not listed while it is being launched, and files for its restart may be newer than the time when
      // it ended.
      const isSettled = changedAt < clock.now() - (session === undefined ? 1 : settings.keep_files_days) * DAY_MS;
      if (!isSettled || (session !== undefined && !isOver(session))) continue;
      await store.removeAll(sessionId);
      log.info({ session: session?.slug ?? sessionId }, "a session's files were removed");
    }
  }

  const tidied = (work: Promise<void>): void =>
    void work.catch((cause: unknown) => log.error({ err: cause }, 'the files of old sessions could not be cleaned up'));
  let isDisposed = false;
  let stopTimer = clock.after(FIRST_TIDY_MS, function again() {
    tidied(
      tidy().finally(() => {
        if (!isDisposed) stopTimer = clock.after(TIDY_MS, again);
      }),
    );
  });
  tidied(store.removeUnfinished());

  return {
    files: {
      mostBytes: settings.max_file_size,
      add: async (slug, file) => {
        const id = idOf(slug);
        try {
          return await store.add(id, file);
        } catch (cause) {
          // The directory no longer exists if the session was removed during the upload.
          idOf(slug);
          throw toHomeError(cause);
        }
      },
      list: async (slug) => store.list(idOf(slug)),
      open: async (slug, id) => {
        const file = await store.find(idOf(slug), id);
        return { file, handle: await store.open(file) };
      },
      remove: async (slug, id) => {
        const file = await store.find(idOf(slug), id);
        requireUnused(slug, file);
        await store.remove(file);
        return file;
      },
    },
    sessions: {
      ...sessions,
      send: async (slug, { files, ...request }) =>
        files === undefined ? sessions.send(slug, request) : sendWithFiles(slug, files, request),
      remove: async (slug) => {
        const id = idOf(slug);
        await sessions.remove(slug);
        await store.removeAll(id).catch((cause: unknown) => log.error({ slug, err: cause }, 'files were not removed'));
      },
    },
    tidy,
    dispose: () => {
      isDisposed = true;
      stopTimer();
    },
  };
}
