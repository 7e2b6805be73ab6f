/**
 * Everything that concerns recordings as files.
 *
 * - `script-command.ts`: recordings as `script` writes them; `script-files.ts`: the open files
 * - `src/core/recording/timing.ts`: the meaning of the lines in a timing file
 * - `tail-recording.ts`, `follow-timing.ts`: recordings while they grow
 * - `watch-losses.ts`: output that was lost because the disk was full
 * - `play-recording.ts`: playing a recording
 * - `recording-player.ts`, `keyframe-file.ts`: jumping to any moment in a recording
 * - `export-recording.ts`: recordings in other formats; `src/core/recording/short-numbers.ts`: numbers in them that
 *   could keep a player busy for hours
 * - `recording-parts.ts`, `recorded-file.ts`: recordings whose oldest parts have been dropped
 * - `recording-files.ts`: the names of recordings, and recordings that a restart moved aside
 */

export * from './export-recording.ts';
export * from './follow-timing.ts';
export * from './kept-rows.ts';
export * from './painter.ts';
export * from './play-recording.ts';
export * from './read-exit.ts';
export * from './recorded-file.ts';
export * from './recording-files.ts';
export * from './recording-parts.ts';
export * from './recording-player.ts';
export * from './recording-steps.ts';
export * from './replay-recording.ts';
export * from './script-command.ts';
export * from './script-files.ts';
export * from './tail-options.ts';
export * from './tail-recording.ts';
export * from './watch-losses.ts';
