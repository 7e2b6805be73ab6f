/**
 * Recordings as files.
 *
 * - recordings as `script` writes them: `script-command.ts`; the open files: `script-files.ts`
 * - the meaning of the timing's lines: `src/core/recording/timing.ts`
 * - recordings while they grow: `tail-recording.ts`, `follow-timing.ts`
 * - output that a full disk lost: `watch-losses.ts`
 * - playing a recording: `play-recording.ts`
 * - jumping to any moment in a recording: `recording-player.ts`, `keyframe-file.ts`
 * - recordings in other formats: `export-recording.ts`; numbers in them that could keep a player busy for hours:
 *   `src/core/recording/short-numbers.ts`
 * - recordings whose oldest parts have been dropped: `recording-parts.ts`, `recorded-file.ts`
 * - the names of recordings, and recordings that a restart moved aside: `recording-files.ts`
 */

export * from './export-recording.ts';
export * from './follow-timing.ts';
export * from './kept-rows.ts';
export * from './play-recording.ts';
export * from './recorded-file.ts';
export * from './recording-files.ts';
export * from './recording-parts.ts';
export * from './recording-player.ts';
export * from './recording-steps.ts';
export * from './replay-recording.ts';
export * from './script-command.ts';
export * from './script-files.ts';
export * from './tail-recording.ts';
export * from './watch-losses.ts';
