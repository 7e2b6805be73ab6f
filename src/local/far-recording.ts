import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, isLoss } from '../client/index.ts';
import type { Playable, PlayedStep } from '../platform/recorder/index.ts';
import { CatalogueError, type ReplayOutput, splitRemoteName } from '../protocol/index.ts';
import type { RecordingPlace } from './find-recording.ts';

/**
 * How many more times a machine that cannot be reached is asked before the replay ends, and the pause before each
 * attempt.
 */
const [MOST_RETRIES, RETRY_MS] = [5, 1_000];

/** A recording on another machine. */
export interface FarRecording {
  /** `machine/SESSION` */
  slug: string;
  /** `SESSION.N` for a recording that a restart moved aside; null for the current recording */
  recording: string | null;
}

/** Returns the recording that `machine/SESSION` or `machine/SESSION.N` names, unless there is a file with this path. */
export function farRecording(name: string, { cwd }: RecordingPlace): FarRecording | null {
  const session = name.replace(/\.\d+$/, '');
  const remote = splitRemoteName(session);
  if (remote === null || existsSync(resolve(cwd, name))) return null;
  return { slug: session, recording: session === name ? null : name.slice(remote.machine.length + 1) };
}

/**
 * Returns a recording on another machine, which is read part by part while it is played.
 * @throws CatalogueError no_recording, no_such_session, not_allowed_there, machine_unreachable
 */
export async function playableFrom(
  options: FarRecording & { client: Caller; signal: AbortSignal },
): Promise<Playable & { timed: boolean }> {
  const { client, slug, signal } = options;
  const params = { slug };
  const which = options.recording === null ? {} : { recording: options.recording };

  /** Repeats a request while the machine cannot be reached, because a lost connection is usually restored soon. */
  async function patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (let retries = 0; ; retries++) {
      try {
        return await ask();
      } catch (error) {
        const mayReturn = error instanceof CatalogueError && isLoss(error) && retries < MOST_RETRIES;
        if (!mayReturn || signal.aborted) throw error;
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function* steps(fromMs: number): AsyncGenerator<PlayedStep> {
    const read = (from: number): Promise<ReplayOutput> =>
      patiently(() => client.call('replayOutput', { params, query: { from, ...which } }));
    let next: number | null = 0;
    if (fromMs > 0 || info.available_from > 0) {
      const t = Math.max(fromMs / 1_000, info.available_from_s);
      const frame = await patiently(() => client.call('replayFrame', { params, query: { t, ...which } }));
      yield { kind: 'resize', at: frame.t, cols: frame.cols, rows: frame.rows };
      yield { kind: 'output', at: frame.t, bytes: Buffer.from(frame.data) };
      next = frame.t;
    }
    while (next !== null && !signal.aborted) {
      const output = await read(next);
      for (const [at, kind, text] of output.events) yield stepOf(at, kind, text);
      next = output.next;
    }
  }

  const info = await client.call('replay', { params, query: which });
  return { cols: info.cols, rows: info.rows, timed: info.timed, steps };
}

function stepOf(at: number, kind: 'o' | 'r', text: string): PlayedStep {
  if (kind === 'o') return { kind: 'output', at, bytes: Buffer.from(text) };
  const [cols = 0, rows = 0] = text.split('x').map(Number);
  return { kind: 'resize', at, cols, rows };
}
