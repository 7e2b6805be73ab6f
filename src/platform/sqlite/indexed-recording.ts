import { z } from 'zod';
import { flag } from './table.ts';

/** A recording, and how much of it has been indexed. */
export const IndexedRecording = z.object({
  id: z.number(),
  scope: z.number(),
  typescript: z.string(),
  /** the timing file, or null if the recording has no times */
  timing: z.string().nullable(),
  /** the first bytes of the recording, which identify it even under another name */
  head: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  /** the offset of the first byte that has not been indexed yet */
  position: z.number(),
  /** how far the timing file has been read, the corresponding offset in the recording, and the time since the start */
  timingPosition: z.number(),
  timedTo: z.number(),
  elapsedMs: z.number(),
  /** when the recording began, in Unix milliseconds, or null if the recording does not contain that time */
  startedAt: z.number().nullable(),
  /** the size of the terminal at `position` */
  cols: z.number(),
  rows: z.number(),
  /** whether nothing more will be written to the recording, and all of it has been indexed or dropped */
  finished: flag,
});
export type IndexedRecording = z.infer<typeof IndexedRecording>;
