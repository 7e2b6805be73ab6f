import { z } from 'zod';
import { Timestamp } from './words.ts';

/** The maximum number of files that one prompt may mention. */
export const MOST_FILES_SENT = 20;

/** The maximum length of a file's name in an upload. The stored file gets a much shorter name. */
const LONGEST_NAME = 1_000;

export const UploadQuery = z.strictObject({
  name: z
    .string()
    .max(LONGEST_NAME)
    .optional()
    .meta({ description: 'The name of the file; the server derives a safe name from it' }),
});

export const FileId = z.string().min(1).max(100);

/** A file that is stored alongside a session. */
export const StoredFile = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: 'A safe form of the name with which the file was uploaded' }),
    size: z.int().min(0).meta({ description: 'In bytes' }),
    type: z.string().meta({ description: 'The media type, derived from the file name extension: `image/png`' }),
    path: z.string().meta({ description: "The path of the file on the server's machine, as prompts mention it" }),
    added_at: Timestamp,
  })
  .meta({ id: 'StoredFile' });
export type StoredFile = z.infer<typeof StoredFile>;
