import { basename, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ExportRequest, ExportResult, RecordingChoice, ReplayRequest } from '../cli/local-host.ts';
import { readReplayKeys } from '../core/recording/index.ts';
import {
  exportCast,
  exportPage,
  exportText,
  playableFile,
  playRecording,
  type RecordingSource,
  readFacts,
} from '../platform/recorder/index.ts';
import { CatalogueError } from '../protocol/index.ts';
import { farRecording, playableFrom } from './far-recording.ts';
import { findRecording, type RecordingPlace } from './find-recording.ts';

/**
 * Exports a recording to another format, without a server.
 * @throws CatalogueError no_recording, invalid_request if the output is the recording itself
 */
export async function exportRecording(request: ExportRequest, place: RecordingPlace): Promise<ExportResult> {
  const source = sourceOf(request, place);
  const { timed } = await readFacts(source);
  const output = request.output === null ? null : resolve(place.cwd, request.output);
  if (output !== null && (output === source.typescript || output === source.timing)) {
    throw new CatalogueError('invalid_request', `${output} is the recording that you want to export`, {
      hint: 'Choose another file with --output',
    });
  }
  return { timed, text: textOf(source, request) };
}

async function* textOf(source: RecordingSource, { format, onProgress }: ExportRequest): AsyncGenerator<string> {
  const title = titleOf(source);
  switch (format) {
    case 'asciicast':
      return yield* inPieces(exportCast(source, { version: 2, title, onProgress }));
    case 'asciicast-v3':
      return yield* inPieces(exportCast(source, { version: 3, title, onProgress }));
    case 'text':
      return yield await exportText(source, onProgress);
    case 'html':
      return yield await exportPage(source, { title, onProgress });
  }
}

/**
 * How many characters to collect before writing them. For a long recording, writing each event separately takes longer
 * than reading the recording.
 */
const PIECE_CHARACTERS = 65_536;

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * Plays a recording in a terminal: from files without a server, or from another machine through this one's server.
 * @throws CatalogueError no_recording
 */
export async function replay(request: ReplayRequest, place: RecordingPlace): Promise<void> {
  const { speed, idleLimitMs, fromMs, stage } = request;
  const far = farRecording(request.recording, place);
  const recording =
    far === null
      ? await playableFile(sourceOf(request, place))
      : await playableFrom({ ...far, client: await request.client(), signal: stage.signal });
  request.onStart({ cols: recording.cols, rows: recording.rows, timed: recording.timed });
  let areFilesShown = false;
  const showFiles = async (positionMs: number): Promise<void> => {
    areFilesShown = true;
    const { showReplayFiles } = await import('./replay-files.ts');
    await showReplayFiles({ request, file: sourceOf(request, place).typescript, positionMs });
    areFilesShown = false;
  };
  await playRecording(
    recording,
    { speed, idleLimitMs, fromMs },
    {
      ...stage,
      // The files of a session on another machine stay there.
      showFiles: far === null ? showFiles : null,
      now: () => performance.now(),
      onKey: (listener) =>
        stage.onTyped((typed) => {
          if (!areFilesShown) readReplayKeys(typed).forEach(listener);
        }),
    },
  );
}

function sourceOf(choice: RecordingChoice, place: RecordingPlace): RecordingSource {
  return { ...findRecording(choice, place), cols: choice.cols, rows: choice.rows };
}

function titleOf({ typescript }: RecordingSource): string {
  return basename(typescript).replace(/\.typescript$/, '');
}
