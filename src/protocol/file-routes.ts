import { z } from 'zod';
import { StoredFile, UploadQuery } from './files.ts';
import type { RouteRow } from './route.ts';

/** The part of the REST interface that stores files alongside a session, for prompts that mention them. */
export const FILE_ROUTES = {
  uploadFile: {
    method: 'post',
    path: '/sessions/{slug}/files',
    who: 'person',
    summary:
      'Store a file beside the session. The body is the file itself; to send it with a prompt, give its id in `files`',
    query: UploadQuery,
    takesBytes: true,
    success: 201,
    response: StoredFile,
    errors: ['no_such_session', 'file_too_large', 'too_many_files', 'files_unavailable', 'disk_full', 'home_read_only'],
  },
  listFiles: {
    method: 'get',
    path: '/sessions/{slug}/files',
    who: 'session',
    summary: 'The files stored beside the session, oldest first',
    response: z.array(StoredFile),
    errors: ['no_such_session'],
  },
  readFile: {
    method: 'get',
    path: '/sessions/{slug}/files/{id}',
    who: 'session',
    summary: 'The bytes of a stored file, as a download',
    response: null,
    errors: ['no_such_session', 'file_not_stored'],
  },
  removeFile: {
    method: 'delete',
    path: '/sessions/{slug}/files/{id}',
    who: 'person',
    summary: 'Delete a stored file',
    response: StoredFile,
    errors: ['no_such_session', 'file_not_stored', 'file_in_use'],
  },
} as const satisfies Record<string, RouteRow>;
