import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMentionable, safeFileName, typeOfName } from '../../core/files/index.ts';
import { openRegularFile } from '../../platform/files/regular-file.ts';
import { isUnfinished, storeUpload } from '../../platform/files/store-upload.ts';
import { CatalogueError, fileTooLarge, type StoredFile, settingVariable } from '../../protocol/index.ts';
import { toTimestamp } from '../session/view.ts';

/** The name of a stored file consists of an id and a readable name. */
const STORED_NAME = /^([0-9a-f]{8})-([A-Za-z0-9._-]+)$/;
const ID_BYTES = 4;

/** A file that is being uploaded. */
export interface ArrivingFile {
  /** the name that the sender gave the file, which must not be trusted */
  name: string;
  type: string | null;
  /** the size that the sender has announced, in bytes; null if unknown */
  announcedBytes: number | null;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Stores the files of all sessions, in one directory for each session id. The directory is the only record of a
 * session's files.
 */
export interface FileStore {
  /** @throws CatalogueError file_too_large, too_many_files, files_unavailable, invalid_request */
  add(sessionId: string, file: ArrivingFile): Promise<StoredFile>;
  /** Oldest first. */
  list(sessionId: string): Promise<StoredFile[]>;
  /** @throws CatalogueError file_not_stored */
  find(sessionId: string, fileId: string): Promise<StoredFile>;
  /** @throws CatalogueError file_not_stored */
  open(file: StoredFile): Promise<FileHandle>;
  remove(file: StoredFile): Promise<void>;
  /** Removes all files of a session. */
  removeAll(sessionId: string): Promise<void>;
  /**
   * Returns the ids of the sessions that have a directory, with the time when each directory last changed, in Unix
   * milliseconds.
   */
  owners(): Promise<{ sessionId: string; changedAt: number }[]>;
  /** Removes the half-written files that a killed server has left behind. */
  removeUnfinished(): Promise<void>;
}

/**
 * @param dir the directory for the files, which is created when the first file is stored
 * @param most the largest allowed size of a file, and the largest allowed number of files of one session
 */
export function createFileStore(dir: string, most: { bytes: number; files: number }): FileStore {
  /** the ids of the files that are being written, by session id and in order of arrival */
  const arriving = new Map<string, Set<string>>();

  const names = (at: string): Promise<string[]> =>
    readdir(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });

  async function list(sessionId: string): Promise<StoredFile[]> {
    const found = await Promise.all(
      (await names(join(dir, sessionId))).map((name) => describe(join(dir, sessionId, name), name)),
    );
    const files = found.filter((one) => one !== null);
    return files.sort((one, other) => Date.parse(one.added_at) - Date.parse(other.added_at));
  }

  async function find(sessionId: string, fileId: string): Promise<StoredFile> {
    const file = (await list(sessionId)).find(({ id }) => id === fileId);
    if (file === undefined) throw new CatalogueError('file_not_stored');
    return file;
  }

  async function add(sessionId: string, id: string, file: ArrivingFile): Promise<StoredFile> {
    const { name, type, announcedBytes, bytes } = file;
    if (announcedBytes !== null && announcedBytes > most.bytes) throw fileTooLarge(most.bytes, announcedBytes);
    const ownDir = join(dir, sessionId);
    const stored = `${id}-${safeFileName(name, type)}`;
    const path = join(ownDir, stored);
    if (!isMentionable(path)) throw unmentionable(ownDir);
    await mkdir(ownDir, { recursive: true, mode: 0o700 });
    const size = await storeUpload({ path, bytes, mostBytes: most.bytes });
    const added = await describe(path, stored);
    if (added === null) throw new CatalogueError('file_not_stored', 'The file was deleted while CBOS was storing it');
    if (size > 0) return added;
    await rm(path, { force: true });
    throw new CatalogueError('invalid_request', 'body: the file is empty');
  }

  return {
    list,
    find,
    add: async (sessionId, file) => {
      const id = randomBytes(ID_BYTES).toString('hex');
      const before = arriving.get(sessionId) ?? new Set();
      const counted = new Set(before);
      arriving.set(sessionId, before.add(id));
      try {
        for (const stored of await list(sessionId)) counted.add(stored.id);
        if (counted.size >= most.files) {
          throw new CatalogueError(
            'too_many_files',
            `The session has ${most.files} stored files, which is the maximum`,
          );
        }
        return await add(sessionId, id, file);
      } finally {
        before.delete(id);
        if (before.size === 0) arriving.delete(sessionId);
      }
    },
    open: async ({ path }) => {
      const handle = await openRegularFile(path, { followsLinks: false }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      if (handle === null) throw new CatalogueError('file_not_stored');
      return handle;
    },
    remove: ({ path }) => rm(path, { force: true }),
    removeAll: (sessionId) => rm(join(dir, sessionId), { recursive: true, force: true }),
    owners: async () => {
      const found = (await names(dir)).map(async (sessionId) => ({
        sessionId,
        changedAt: (await stat(join(dir, sessionId))).mtimeMs,
      }));
      return Promise.all(found);
    },
    removeUnfinished: async () => {
      for (const sessionId of await names(dir)) {
        for (const name of await names(join(dir, sessionId))) {
          if (isUnfinished(name)) await rm(join(dir, sessionId, name), { force: true });
        }
      }
    },
  };
}

/** Returns null if the entry is not a stored file, or if the file has just been deleted. */
async function describe(path: string, stored: string): Promise<StoredFile | null> {
  const [, id, name] = STORED_NAME.exec(stored) ?? [];
  if (id === undefined || name === undefined) return null;
  const status = await stat(path).catch(() => null);
  if (status?.isFile() !== true) return null;
  return { id, name, size: status.size, type: typeOfName(name), path, added_at: toTimestamp(status.mtimeMs) };
}

function unmentionable(dir: string): CatalogueError {
  return new CatalogueError(
    'files_unavailable',
    `The path ${dir} contains a space or a special character, where Claude Code would cut off the mention of a file`,
    {
      hint: `Move CBOS's home to a path that contains only letters, digits and dashes, and set ${settingVariable('home')} to that path`,
    },
  );
}
