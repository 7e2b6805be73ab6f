import { z } from 'zod';
import { Timestamp } from './words.ts';

const Bytes = z.int().min(0);

/**
 * Why part of a recording was dropped: because of a setting, or because something else truncated the file
 * (`truncated`).
 */
export const DropReason = z.enum(['max_recording_size', 'max_total_size', 'keep_days', 'truncated']);
export type DropReason = z.infer<typeof DropReason>;

/** What was dropped from one recording on one day. */
export const DroppedRecording = z
  .object({
    recording: z.string().meta({ description: 'SLUG, or SLUG.N for an older recording of the session' }),
    reason: DropReason,
    bytes: Bytes.meta({ description: 'bytes of output' }),
    whole: z
      .boolean()
      .meta({ description: 'true if nothing is left of the recording; false if its newer part is kept' }),
    at: Timestamp.meta({ description: 'the last time that this happened on that day' }),
  })
  .meta({ id: 'DroppedRecording' });
export type DroppedRecording = z.infer<typeof DroppedRecording>;

/** How much disk space recordings use, and how much of them was dropped. */
export const Recordings = z
  .object({
    dir: z.string(),
    total_bytes: Bytes.meta({ description: "how much disk space all of CBOS's own recordings take" }),
    max_total_size: Bytes,
    free_bytes: Bytes.meta({ description: 'how much free space the disk has' }),
    fault: z.string().nullable().meta({
      description: 'why nothing can be recorded now, such as ENOSPC for a full disk; null while recording works',
    }),
    not_recorded: z.array(z.string()).meta({ description: 'sessions whose recording has stopped' }),
    dropped: z.array(DroppedRecording).meta({ description: 'newest first' }),
  })
  .meta({ id: 'Recordings' });
export type Recordings = z.infer<typeof Recordings>;
