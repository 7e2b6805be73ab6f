export * from './moments.ts';
export * from './script-lines.ts';
export * from './timing.ts';
export * from './utf8.ts';
