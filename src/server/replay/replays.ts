/**
 * Replays recordings, and limits the disk space that recordings use.
 *
 * - creating keyframes while a recording grows: `grow-keyframes.ts`
 * - recordings that were moved aside at a restart: `older-recordings.ts`
 * - keeping recordings within their limits: `keep-in-bounds.ts`, `list-recordings.ts`
 * - a record of what was dropped: `src/platform/sqlite/drop-store.ts`
 */

import { type PlayerEvent, RecordingPlayer, type RecordingSource } from '../../platform/recorder/index.ts';
import type { ReplayEvent, ReplayFrame, ReplayInfo, ReplayOutput } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';

/** A recording that a player can play. It may still be written to, or may have been moved aside at a restart. */
export interface Replayable {
  epoch(): number;
  file(): string;
  source(): RecordingSource;
}

/**
 * Gives players access to the past content of all recordings. A recording's files are opened when they are first
 * needed.
 */
export interface Replays {
  info(stream: Replayable): Promise<ReplayInfo>;
  frame(stream: Replayable, where: { at: number } | { offset: number }): Promise<ReplayFrame>;
  output(stream: Replayable, options: { from: number; limit: number }): Promise<ReplayOutput>;
  /** Creates the keyframes that are still missing, and awaits `pause` after each of them. */
  grow(stream: Replayable, pause: () => Promise<void>): Promise<void>;
  /** Drops the timing rows that belong to dropped output. */
  dropRows(stream: Replayable): Promise<void>;
  /** Closes the files of a recording whose session no longer exists. */
  forget(stream: Replayable): Promise<void>;
  close(): Promise<void>;
}

interface Opened {
  player: Promise<RecordingPlayer>;
  /** the epoch and the file that the player was opened for; another epoch or file needs a new player */
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
    // The recording may not exist yet, so the next call looks for it again.
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
