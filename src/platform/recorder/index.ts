export * from './export-recording.ts';
export * from './follow-size.ts';
export * from './play-recording.ts';
export * from './recording-files.ts';
export * from './recording-steps.ts';
export * from './replay-recording.ts';
export * from './script-command.ts';
export * from './tail-recording.ts';
