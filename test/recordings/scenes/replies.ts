import type { Block, Reply } from '../../../src/demo/scenes/scene.ts';

/** A status is judged two seconds after a change. A state that is to be recorded must therefore last longer. */
export const LONG_BEFORE_FIRST_BYTE_MS = 4_000;
const SLOW_CHUNK_MS = 250;

export const text = (content: string, chunkDelayMs = SLOW_CHUNK_MS): Block => ({
  kind: 'text',
  text: content,
  chunkDelayMs,
});
export const thinking = (content: string, chunkDelayMs = SLOW_CHUNK_MS): Block => ({
  kind: 'thinking',
  text: content,
  chunkDelayMs,
});
export const tool = (name: string, input: Record<string, unknown>): Block => ({ kind: 'tool', name, input });
export const bash = (command: string, description: string, more: Record<string, unknown> = {}): Block =>
  tool('Bash', { command, description, ...more });

/** Returns an answer that begins after four seconds. A spinner is shown until then. */
export const slowly = (...blocks: Block[]): Reply => ({
  kind: 'answer',
  firstByteDelayMs: LONG_BEFORE_FIRST_BYTE_MS,
  blocks,
});
export const answer = (...blocks: Block[]): Reply => ({ kind: 'answer', firstByteDelayMs: 1_000, blocks });
export const failure = (status: number, type: string, message: string, times?: number): Reply => ({
  kind: 'error',
  status,
  type,
  message,
  ...(times === undefined ? {} : { times }),
});

export const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index + 1)).join('\n');
