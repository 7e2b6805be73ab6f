import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CatalogueError } from '../../protocol/index.ts';
import { latePart } from '../connection/late-part.ts';
import { createPlayer, type Player } from './player.ts';
import { recordingSource } from './recording-source.ts';

/** The maximum duration of a piece. It may be shorter, because silences are skipped. */
export const PIECE_S = 10;
const SPEED = 6;
/** How much of the recording a piece shows after the moment that it leads up to. */
const AFTER_S = 5;

const loadScreen = latePart(() => import('../terminal/screen.ts'));

/**
 * Plays the minute of a recording that leads up to a given moment, sped up to ten seconds.
 * @param props.t the moment in seconds from the start of the recording
 */
export function ReplayPiece({ slug, recording, t }: { slug: string; recording: string | null; t: number }) {
  const place = useRef<HTMLDivElement>(null);
  const player = useSignal<Player | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    let isGone = false;
    const disposers: (() => void)[] = [];
    const fail = (error: unknown): void => {
      problem.value = error instanceof CatalogueError ? error.message : 'The recording cannot be read';
    };
    const open = async (): Promise<void> => {
      const source = recordingSource(slug, recording);
      const [{ createScreen }, info] = await Promise.all([loadScreen(), source.info()]);
      if (isGone || place.current === null) return;
      const end = Math.min(t + AFTER_S, info.duration_s);
      const part = { start: Math.max(0, end - PIECE_S * SPEED), end };
      const screen = createScreen(place.current);
      const opened = createPlayer({ source, screen, info, part, onError: fail });
      disposers.push(opened.dispose, screen.dispose);
      opened.speed.value = SPEED;
      player.value = opened;
      await opened.seek({ t: part.start });
      if (!isGone) opened.play();
    };
    void open().catch(fail);
    return () => {
      isGone = true;
      for (const dispose of disposers.reverse()) dispose();
    };
  }, [slug, recording, t]);

  const { value: current } = player;
  const isPlaying = current?.isPlaying.value === true;
  return (
    <div class="stack">
      {problem.value !== null && <p class="notice">{problem.value}.</p>}
      <section class="terminal replay-piece" ref={place} aria-label={`Recording of ${recording ?? slug}`} />
      <button
        type="button"
        class="button"
        disabled={current === null}
        onClick={() => (isPlaying ? current?.pause() : current?.play())}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </button>
    </div>
  );
}
