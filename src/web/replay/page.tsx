import { computed, signal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CatalogueError, type KeptRecording, type StatusChange } from '../../protocol/index.ts';
import { client, sessions } from '../connection/fleet.ts';
import { latePart } from '../connection/late-part.ts';
import { addressOf, goTo, type Replay } from '../navigation/router.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';
import { SessionPage } from '../session/page.tsx';
import { PastFiles } from './past-files.tsx';
import { createPlayer, type Player } from './player.ts';
import { recordingSource } from './recording-source.ts';

const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_S = 5;
/** How long before a question a jump to the question ends, so that the user sees the question appear. */
const BEFORE_QUESTION_S = 1;
/** The session draws a question a moment before CBOS recognizes it. */
const KNOWN_AFTER_S = 5;

/** Whether the files are shown. The user's choice is remembered until the page is reloaded. */
const showsFiles = signal(false);

const loadScreen = latePart(() => import('../terminal/screen.ts'));

/** Replays a session's recording. A JSON session has no recording, but its conversation contains everything. */
export function ReplayPage({ at }: { at: Replay }) {
  const { slug, recording } = at;
  const isConversation = useMemo(() => computed(() => sessions.value.get(slug)?.type === 'json'), [slug]);
  return isConversation.value && recording === null ? (
    <SessionPage slug={slug} seq={null} />
  ) : (
    <RecordingPage at={at} />
  );
}

/** Plays a recording, with a scrubber, a choice of speeds, and buttons that jump from question to question. */
function RecordingPage({ at }: { at: Replay }) {
  const { slug, recording } = at;
  const place = useRef<HTMLDivElement>(null);
  const { player, duration, questions, problem, moment } = useRecording(place, at);
  const { value: current } = player;
  const seek = (to: number): void => void current?.seek({ t: Math.min(Math.max(0, to), duration.value) });
  const seekBy = (stepS: number): void => seek((current?.position.value ?? 0) + stepS);
  const toggle = (): void => {
    if (current?.isPlaying.value === true) current.pause();
    else current?.play();
  };
  const toQuestion = (step: 1 | -1): void => {
    const next = nextQuestion(questions.value, current?.position.value ?? 0, step);
    if (next !== undefined) seek(next - BEFORE_QUESTION_S);
  };
  useShortcuts(
    [
      { keys: ' ', does: 'Play or pause', run: toggle },
      { keys: 'ArrowLeft', does: `${STEP_S} seconds back`, run: () => seekBy(-STEP_S) },
      { keys: 'ArrowRight', does: `${STEP_S} seconds forward`, run: () => seekBy(STEP_S) },
      { keys: ']', does: 'To the next question', run: () => toQuestion(1) },
      { keys: '[', does: 'To the previous question', run: () => toQuestion(-1) },
      { keys: 'f', does: 'Show or hide the files', run: flipFiles },
    ],
    [current, questions.value],
  );

  return (
    <>
      <PageHead title={`${slug}, replay`}>
        <a class="button" href={addressOf({ page: 'session', slug })}>
          Live
        </a>
      </PageHead>
      {problem.value !== null && <p class="notice replay-problem">{problem.value}.</p>}
      <div class="replay-main">
        <section class="terminal replay-screen" ref={place} aria-label={`Recording of ${recording ?? slug}`} />
        {showsFiles.value && current !== null && (
          <aside class="past" aria-label="Files">
            <PastFiles key={`${slug} ${recording}`} slug={slug} moment={moment} />
          </aside>
        )}
      </div>
      <div class="dock replay-dock">
        <Scrubber {...{ player: current, duration: duration.value, questions: questions.value, seek }} />
        <div class="row wrap">
          <PlayerControls player={current} onToggle={toggle} />
          <button type="button" class="button" aria-pressed={showsFiles.value} onClick={flipFiles}>
            Files
          </button>
          <span class="grow" />
          <OlderRecordings slug={slug} recording={recording} />
          <button type="button" class="button" disabled={questions.value.length === 0} onClick={() => toQuestion(1)}>
            <Icon name="next" />
            Next question
          </button>
        </div>
      </div>
    </>
  );
}

/** Opens the recording in the element, and starts to play it unless the address names a position. */
function useRecording(place: RefObject<HTMLDivElement | null>, { slug, recording, offset, t }: Replay) {
  const player = useSignal<Player | null>(null);
  const duration = useSignal(0);
  const questions = useSignal<readonly number[]>([]);
  const problem = useSignal<string | null>(null);
  /** when the recording began, in Unix milliseconds; null if it does not say */
  const startedAt = useSignal<number | null>(null);
  const moment = useComputed(() => {
    const { value: began } = startedAt;
    return began === null ? null : began + (player.value?.position.value ?? 0) * 1_000;
  });

  useEffect(() => {
    let isGone = false;
    const disposers: (() => void)[] = [];
    const open = async (): Promise<void> => {
      questions.value = [];
      problem.value = null;
      const source = recordingSource(slug, recording);
      const [{ createScreen }, info] = await Promise.all([loadScreen(), source.info()]);
      if (isGone || place.current === null) return;
      const screen = createScreen(place.current);
      const opened = createPlayer({ source, screen, info, onError: tellError });
      disposers.push(opened.dispose, screen.dispose);
      duration.value = info.duration_s;
      startedAt.value = info.started_at === null || !info.timed ? null : Date.parse(info.started_at);
      player.value = opened;
      await opened.seek(offset !== null ? { offset } : { t: t ?? 0 });
      if (offset === null && t === null) opened.play();
      if (info.started_at === null || !info.timed) return;
      const history = await client.call('history', { params: { slug }, query: { since: info.started_at } });
      if (!isGone) questions.value = questionTimes(history, Date.parse(info.started_at), info.duration_s);
    };
    void open().catch((error: unknown) => {
      if (error instanceof CatalogueError && error.code === 'no_recording') problem.value = error.message;
      else tellError(error);
    });
    return () => {
      isGone = true;
      player.value = null;
      startedAt.value = null;
      for (const dispose of disposers.reverse()) dispose();
    };
  }, [slug, recording, offset, t]);
  return { player, duration, questions, problem, moment };
}

function nextQuestion(times: readonly number[], from: number, step: 1 | -1): number | undefined {
  return step === 1
    ? times.find((time) => time - BEFORE_QUESTION_S > from + 0.2)
    : times.findLast((time) => time - BEFORE_QUESTION_S < from - 1);
}

function flipFiles(): void {
  showsFiles.value = !showsFiles.peek();
}

function PlayerControls({ player, onToggle }: { player: Player | null; onToggle(): void }) {
  const isPlaying = player?.isPlaying.value === true;
  return (
    <>
      <button
        type="button"
        class="button primary icon"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        disabled={player === null}
        onClick={onToggle}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <select
        class="input speed"
        aria-label="Speed"
        value={String(player?.speed.value ?? 1)}
        onChange={({ currentTarget }) => {
          if (player !== null) player.speed.value = Number(currentTarget.value);
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
      <label class="row check">
        <input
          type="checkbox"
          checked={player?.skipsIdle.value ?? true}
          onChange={({ currentTarget }) => {
            if (player !== null) player.skipsIdle.value = currentTarget.checked;
          }}
        />
        Skip silence
      </label>
    </>
  );
}

/** Lists the earlier recordings that restarts moved aside. The user chooses a recording by its start time. */
function OlderRecordings({ slug, recording }: { slug: string; recording: string | null }) {
  const older = useSignal<readonly KeptRecording[]>([]);
  useEffect(() => {
    client
      .call('olderRecordings', { params: { slug } })
      .then((all) => {
        older.value = all;
      })
      .catch(tellError);
  }, [slug]);
  if (older.value.length === 0) return null;
  return (
    <select
      class="input recordings"
      aria-label="Recording"
      value={recording ?? slug}
      onChange={({ currentTarget: { value } }) =>
        goTo({ page: 'replay', slug, recording: value === slug ? null : value, offset: null, t: null })
      }
    >
      <option value={slug}>The newest</option>
      {older.value.map((one) => (
        <option key={one.recording} value={one.recording}>
          {new Date(one.started_at ?? one.ended_at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })}
        </option>
      ))}
    </select>
  );
}

function Scrubber(props: {
  player: Player | null;
  duration: number;
  questions: readonly number[];
  seek: (to: number) => void;
}) {
  const { player, duration, questions, seek } = props;
  const at = player?.position.value ?? 0;
  return (
    <div class="scrubber">
      <span class="number">{clockText(at)}</span>
      <div class="scrubber-bar">
        <input
          type="range"
          min={0}
          max={Math.max(duration, 0.1)}
          step={0.1}
          value={at}
          aria-label="Position"
          aria-valuetext={`${clockText(at)} of ${clockText(duration)}`}
          onInput={({ currentTarget }) => seek(Number(currentTarget.value))}
        />
        {questions.map((time) => (
          <span key={time} class="question-mark" style={{ left: `${(100 * time) / Math.max(duration, 0.1)}%` }} />
        ))}
      </div>
      <span class="number">{clockText(duration)}</span>
    </div>
  );
}

/** Returns the times at which the session began to wait for an answer, in seconds from the start of the recording. */
function questionTimes(history: readonly StatusChange[], startedAt: number, duration: number): number[] {
  return history
    .filter(({ primary }) => primary === 'waiting')
    .map(({ at }) => (Date.parse(at) - startedAt) / 1000)
    .filter((time) => time >= 0 && time <= duration + KNOWN_AFTER_S)
    .map((time) => Math.min(time, duration));
}

function clockText(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
