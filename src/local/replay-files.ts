import { basename, resolve } from 'node:path';
import type { ReplayRequest } from '../cli/local-host.ts';
import type { Caller } from '../client/index.ts';
import { CatalogueError, type CheckpointAt, checkpointAt, isSlug } from '../protocol/index.ts';
import { truncate } from '../text/display-width.ts';
import type { Mode } from '../tui/mode.ts';
import { pastFiles } from '../tui/modes/past-files.ts';
import { createKeyReader } from '../tui/terminal/keys.ts';
import { wrap } from '../tui/view/cells.ts';
import { dressFor } from '../tui/view/dress.ts';

export interface ReplayFilesOptions {
  request: Pick<ReplayRequest, 'client' | 'stage' | 'hasColours'>;
  /** the path of the recording */
  file: string;
  /** the position in the recording, in milliseconds */
  positionMs: number;
}

/**
 * Shows the files of a session as they were at a position in its recording, instead of the replay. Resolves when the
 * user returns to the replay.
 */
export async function showReplayFiles({ request, file, positionMs }: ReplayFilesOptions): Promise<void> {
  const { stage, hasColours } = request;
  const dress = dressFor(hasColours);
  let mode: Mode | null = null;
  let problem: string | null = null;
  let leave = (): void => undefined;
  const left = new Promise<void>((done) => {
    leave = done;
  });
  const draw = (): void => {
    const size = stage.size();
    if (size === null) return;
    const { cols, rows } = size;
    const room = Math.max(1, rows - 2);
    const page = problem === null ? mode?.page?.(cols, room) : { title: 'Files', rows: wrap(problem, cols - 1) };
    const hints = (problem === null ? mode?.hints() : undefined) ?? [['Esc', 'back'] as const];
    const lines = [
      dress('inverse', truncate(` ${page?.title ?? 'Files'} `, cols)),
      ...Array.from(
        { length: room },
        (_, row) => page?.rows[row] ?? (page === undefined && row === 1 ? ' reading…' : ''),
      ),
      dress('dim', truncate(hints.map(([key, does]) => `${key} ${does}`).join('  '), cols)),
    ];
    const text = lines.map((line, row) => `\u001b[${row + 1};1H\u001b[0m\u001b[K${line}`).join('');
    void stage.write(`\u001b[?25l${text}`);
  };
  const run = (work: () => Promise<void>): void => {
    work().catch((error: unknown) => {
      problem = error instanceof CatalogueError ? `${error.message} — ${error.hint}` : String(error);
      draw();
    });
  };
  const keys = createKeyReader({
    onEvent: (event) => {
      if (problem === null && mode !== null) mode.handle(event);
      else if (event.kind === 'key') leave();
    },
    startTimer: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const stops = [
    stage.onTyped((typed) => keys.feed(typed)),
    stage.onResized(draw),
    () => keys.dispose(),
    () => stage.signal.removeEventListener('abort', leave),
  ];
  stage.signal.addEventListener('abort', leave);
  draw();
  run(async () => {
    const client = await request.client();
    const { slug, at } = await findFiles(client, file, positionMs);
    mode = pastFiles({ client, dress, changed: draw, run }, { slug, at, onLeave: leave });
    draw();
  });
  await left;
  for (const stop of stops) stop();
}

/** Finds the session that a recording belongs to, and the checkpoint of a position. */
async function findFiles(
  client: Caller,
  file: string,
  positionMs: number,
): Promise<{ slug: string; at: CheckpointAt }> {
  const recording = basename(file).replace(/\.typescript$/, '');
  const slug = recording.replace(/\.\d+$/, '');
  const unknown = new CatalogueError('no_recording', 'This recording belongs to no session, so its files are unknown', {
    hint: '`cbos ls` lists the sessions',
  });
  if (!isSlug(slug)) throw unknown;
  const query = recording === slug ? {} : { recording };
  const info = await client.call('replay', { params: { slug }, query });
  if (resolve(info.file) !== resolve(file)) throw unknown;
  if (info.started_at === null || !info.timed) {
    throw new CatalogueError('no_recording', 'This recording has no times, so its files are unknown', {
      hint: `\`cbos turns ${slug}\` lists the turns whose files are saved`,
    });
  }
  const { turns } = await client.call('listTurns', { params: { slug } });
  return { slug, at: checkpointAt(turns, Date.parse(info.started_at) + positionMs) };
}
