export * from './cast.ts';
export * from './moments.ts';
export * from './replay-clock.ts';
export * from './safe-output.ts';
export * from './screen-reader.ts';
export * from './script-lines.ts';
export * from './timing.ts';
export * from './utf8.ts';
