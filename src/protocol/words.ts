import { z } from 'zod';
import { PERMISSION_MODES, SESSION_TYPES } from './names.ts';

export const SessionType = z.enum(SESSION_TYPES);
export type SessionType = z.infer<typeof SessionType>;

/** A point in time, as sent to clients: ISO 8601, in UTC, with milliseconds. */
export const Timestamp = z.iso.datetime();

export const PermissionMode = z.enum(PERMISSION_MODES);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** The maximum length of a path, which is what Linux accepts (PATH_MAX). */
export const MAX_PATH = 4_096;

/**
 * A path in a request, or an empty text. No file name contains a NUL. For such a path, Node throws an error that names
 * no field of the request.
 */
export const PathOrNone = z
  .string()
  .max(MAX_PATH)
  .refine((path) => !path.includes('\0'), 'a path cannot contain a NUL');
export const PathText = PathOrNone.min(1);

/** The range of terminal sizes for which both Screen 4.9 and Claude Code draw correctly. */
export const Columns = z.int().min(20).max(500);
export const Rows = z.int().min(5).max(200);
