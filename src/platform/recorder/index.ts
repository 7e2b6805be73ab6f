export * from './follow-size.ts';
export * from './recording-files.ts';
export * from './replay-recording.ts';
export * from './script-command.ts';
export * from './tail-recording.ts';
