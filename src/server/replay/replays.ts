/**
 * Replays of recordings, and the space that recordings take.
 *
 * - keyframes while a recording grows: `grow-keyframes.ts`
 * - recordings that a restart moved aside: `older-recordings.ts`
 * - keeping recordings within their limits: `keep-in-bounds.ts`
 * - what was dropped: `src/platform/sqlite/drop-store.ts`
 */

import { type PlayerEvent, RecordingPlayer, type RecordingSource } from '../../platform/recorder/index.ts';
import type { ReplayEvent, ReplayFrame, ReplayInfo, ReplayOutput } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';

/** A recording that a player can play, either one that is still being written or one that a restart moved aside. */
export interface Replayable {
  epoch(): number;
  file(): string;
  source(): RecordingSource;
}

/** The past content of all recordings, for players. The files of a recording are opened when it is first requested. */
export interface Replays {
  info(stream: Replayable): Promise<ReplayInfo>;
  frame(stream: Replayable, where: { at: number } | { offset: number }): Promise<ReplayFrame>;
  output(stream: Replayable, options: { from: number; limit: number }): Promise<ReplayOutput>;
  /** Creates the keyframes that are still missing; `pause` is awaited after each. */
  grow(stream: Replayable, pause: () => Promise<void>): Promise<void>;
  /** Drops the timing rows of output that has been dropped. */
  dropRows(stream: Replayable): Promise<void>;
  /** Closes the files of a recording whose session is gone. */
  forget(stream: Replayable): Promise<void>;
  close(): Promise<void>;
}

interface Opened {
  player: Promise<RecordingPlayer>;
  /** the epoch and file that it was opened for; any other file or epoch needs a new player */
  key: string;
}

export function createReplays(clock: Clock): Replays {
  const opened = new Map<Replayable, Opened>();

  const keyOf = (stream: Replayable): string => `${stream.epoch()} ${stream.file()}`;

  async function forget(stream: Replayable): Promise<void> {
    const old = opened.get(stream);
    opened.delete(stream);
    const player = await old?.player.catch(() => null);
    await player?.close();
  }

  function playerOf(stream: Replayable): Promise<RecordingPlayer> {
    const known = opened.get(stream);
    if (known?.key === keyOf(stream)) return known.player;
    const player = forget(stream).then(() => {
      const source = stream.source();
      return RecordingPlayer.open({ source, keyframes: keyframesOf(source.typescript), now: () => clock.now() });
    });
    opened.set(stream, { player, key: keyOf(stream) });
    // A recording that does not exist yet is looked for again next time.
    player.catch(() => {
      if (opened.get(stream)?.player === player) opened.delete(stream);
    });
    return player;
  }

  return {
    info: async (stream) => {
      const { startedAt, duration, sizeBytes, available, ...facts } = await (await playerOf(stream)).facts();
      return {
        ...facts,
        started_at: startedAt === null ? null : new Date(startedAt * 1_000).toISOString(),
        duration_s: duration,
        epoch: stream.epoch(),
        file: stream.file(),
        size_bytes: sizeBytes,
        available_from: available.offset,
        available_from_s: available.at,
      };
    },
    frame: async (stream, where) => {
      const { at, ...frame } = await (await playerOf(stream)).frame(where);
      return { t: at, ...frame };
    },
    output: async (stream, { from, limit }) => {
      const { events, next } = await (await playerOf(stream)).output(from, limit);
      return { events: events.map(toWire), next };
    },
    grow: async (stream, pause) => (await playerOf(stream)).grow(pause),
    dropRows: async (stream) => (await playerOf(stream)).dropRows(),
    forget,
    close: async () => {
      await Promise.all([...opened.keys()].map(forget));
    },
  };
}

function toWire(event: PlayerEvent): ReplayEvent {
  return event.kind === 'output' ? [event.at, 'o', event.text] : [event.at, 'r', `${event.cols}x${event.rows}`];
}

function keyframesOf(typescript: string): string {
  return `${typescript.replace(/\.typescript$/, '')}.keyframes`;
}
