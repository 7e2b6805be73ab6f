export * from './entries.ts';
export * from './query.ts';
export * from './screen-lines.ts';
export * from './snippet.ts';
