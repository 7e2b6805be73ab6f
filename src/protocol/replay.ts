import { z } from 'zod';
import { Timestamp } from './words.ts';

/**
 * The number of columns, as recorded. It may be smaller than CBOS itself would choose, if the user attached from a
 * small window.
 */
const Columns = z.int().min(1);
const Rows = z.int().min(1);

const Seconds = z.number().min(0);

/** The name of a recording: `SLUG`, or `SLUG.N` for an earlier recording that a restart moved aside. */
const RecordingName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\.\d{1,9})?$/)
  .meta({ description: 'SLUG.N for a recording that a restart moved aside; default: the current one' });

/** An earlier recording of a session, which a restart moved aside. */
export const KeptRecording = z
  .object({
    recording: z.string().meta({ description: 'SLUG.N; a higher N is newer' }),
    started_at: Timestamp.nullable().meta({ description: 'null if the recording does not say' }),
    ended_at: Timestamp.meta({ description: 'when it was last written' }),
    size_bytes: z.int().min(0),
  })
  .meta({ id: 'KeptRecording' });
export type KeptRecording = z.infer<typeof KeptRecording>;

/**
 * What a player must know about a recording before playing it. Times are in seconds from the start of the recording.
 */
export const ReplayInfo = z
  .object({
    started_at: Timestamp.nullable().meta({ description: 'null if the recording does not say' }),
    duration_s: Seconds,
    cols: Columns.meta({ description: 'of the terminal at the start' }),
    rows: Rows,
    epoch: z.int().min(0).meta({
      description: 'the number of times that the recording was replaced; each time, offsets and times start again',
    }),
    file: z.string().meta({ description: "path of the recording on the server's machine" }),
    size_bytes: z.int().min(0).meta({ description: 'length of the recording, which is the offset of its end' }),
    available_from: z
      .int()
      .min(0)
      .meta({ description: 'offset of the oldest output that is kept; 0 if all of it is kept' }),
    available_from_s: Seconds.meta({ description: 'the same position as a time; nothing before it can be played' }),
    timed: z.boolean().meta({
      description: 'false for a Screen log, which has no times and is played at an even pace',
    }),
  })
  .meta({ id: 'ReplayInfo' });
export type ReplayInfo = z.infer<typeof ReplayInfo>;

export const ReplayFrame = z
  .object({
    t: Seconds,
    offset: z.int().min(0).meta({ description: 'the screen is drawn from all bytes before this offset' }),
    cols: Columns,
    rows: Rows,
    data: z.string().meta({ description: 'escape codes that draw the screen in an empty terminal of that size' }),
  })
  .meta({ id: 'ReplayFrame' });
export type ReplayFrame = z.infer<typeof ReplayFrame>;

export const ReplayEvent = z
  .tuple([Seconds, z.enum(['o', 'r']), z.string()])
  .meta({ id: 'ReplayEvent', description: 'as in asciicast v2: [t, "o", output] or [t, "r", "COLSxROWS"]' });
export type ReplayEvent = z.infer<typeof ReplayEvent>;

export const ReplayOutput = z
  .object({
    events: z.array(ReplayEvent),
    next: Seconds.nullable().meta({
      description: 'the value of `from` for the next part; null if there is no more output at present',
    }),
  })
  .meta({ id: 'ReplayOutput' });
export type ReplayOutput = z.infer<typeof ReplayOutput>;

const SecondsText = z.coerce.number().min(0).max(1e9).meta({ type: 'number', minimum: 0 });
const OffsetText = z.coerce.number().int().min(0).meta({ type: 'integer', minimum: 0 });

/**
 * The maximum amount of output in one response, in bytes. The page processes 5 MB per second, so this takes it at most
 * a fifth of a second.
 */
export const REPLAY_OUTPUT_BYTES = { default: 256 * 1024, most: 1024 * 1024 } as const;

export const ReplayQuery = z.strictObject({ recording: RecordingName.optional() });

export const ReplayFrameQuery = z
  .strictObject({
    t: SecondsText.optional().meta({ description: 'seconds from the start; a time after the end means the end' }),
    offset: OffsetText.optional().meta({ description: 'a byte offset instead of a time, as in a search hit' }),
    recording: RecordingName.optional(),
  })
  .refine((query) => (query.t === undefined) !== (query.offset === undefined), { error: 'needs either t or offset' });

export const ReplayOutputQuery = z.strictObject({
  recording: RecordingName.optional(),
  from: SecondsText.optional().meta({ description: 'only output after this time; 0 for everything' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(REPLAY_OUTPUT_BYTES.most)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: REPLAY_OUTPUT_BYTES.most, description: 'bytes of output' }),
});
