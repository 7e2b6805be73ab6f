import { REPLAY_OUTPUT_BYTES, type Recordings } from '../../protocol/index.ts';
import type { RECORDING_ROUTES } from '../../protocol/recording-routes.ts';
import type { Handlers } from '../handlers.ts';
import type { Sessions } from '../sessions.ts';
import { createOlderRecordings } from './older-recordings.ts';
import { recordingBytes } from './recording-bytes.ts';
import type { Replayable, Replays } from './replays.ts';

export interface RecordingOptions {
  sessions: Pick<Sessions, 'get' | 'stream'>;
  replays: Replays;
  /** the directory that contains the recordings */
  streamDir: string;
  /** reports how much disk space the recordings use */
  recordings: () => Promise<Recordings>;
}

/** Creates the handlers that read and replay recordings. */
export function createRecordingHandlers(
  options: RecordingOptions,
): Pick<Handlers, Exclude<keyof typeof RECORDING_ROUTES, 'buffer' | 'terminal'>> {
  const { sessions, replays, streamDir } = options;
  const older = createOlderRecordings({ streamDir, replays });
  const recordingOf = async (slug: string, recording = slug): Promise<Replayable> => {
    sessions.get(slug);
    return recording === slug ? sessions.stream(slug) : older.find(recording);
  };
  return {
    stream: ({ params, query, request }) =>
      recordingBytes(sessions.stream(params.slug).file(), {
        method: request.method,
        range: request.headers.get('range') ?? undefined,
        ifRange: request.headers.get('if-range') ?? undefined,
        from: query.from ?? 0,
      }),
    recordings: () => options.recordings(),
    olderRecordings: ({ params }) => older.list(sessions.get(params.slug).slug),
    replay: async ({ params, query }) => replays.info(await recordingOf(params.slug, query.recording)),
    replayFrame: async ({ params, query: { t, offset, recording } }) =>
      replays.frame(await recordingOf(params.slug, recording), offset === undefined ? { at: t ?? 0 } : { offset }),
    replayOutput: async ({ params, query }) =>
      replays.output(await recordingOf(params.slug, query.recording), {
        from: query.from ?? 0,
        limit: query.limit ?? REPLAY_OUTPUT_BYTES.default,
      }),
  };
}
