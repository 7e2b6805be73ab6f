import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { type Cbos, startCbos } from './cbos.ts';
import { type ClaudeWorld, type ClaudeWorldOptions, claudeWorld } from './claude.ts';
import { type TypedKeys, watchTypedKeys } from './typed-keys.ts';

/** A server that answers questions from a real Claude Code. Its keypresses are counted. */
export interface Answering {
  world: ClaudeWorld;
  typed: TypedKeys;
  cbos: Cbos;
}

export interface AnsweringOptions extends ClaudeWorldOptions {
  /** if true, no hook waits for a reply, so every answer is typed */
  byKeys?: boolean;
}

export async function startAnswering({ byKeys = false, ...options }: AnsweringOptions): Promise<Answering> {
  const world = await claudeWorld(options);
  try {
    const typed = watchTypedKeys(byKeys ? withoutFifos(world) : world);
    return { world, typed, cbos: await startCbos(world, typed.env) };
  } catch (error) {
    await world.dispose();
    throw error;
  }
}

/**
 * Returns the same world on a file system that, as far as its hooks can see, has no FIFOs. A hook then has nowhere to
 * wait. The server names the mode of each FIFO that it creates, and gets it.
 */
function withoutFifos(world: ClaudeWorld): ClaudeWorld {
  const bin = join(world.dir, 'without-fifos');
  mkdirSync(bin);
  writeFileSync(join(bin, 'mkfifo'), '#!/bin/sh\n[ "$1" = -m ]&&exec /usr/bin/mkfifo "$@"\nexit 1\n', { mode: 0o755 });
  return { ...world, env: { ...world.env, PATH: `${bin}:${world.env.PATH}` } };
}

/**
 * Returns the tool results that Claude Code sent to the model, in order, for turns whose prompt contains these words. A
 * call that ended its turn has no result.
 */
export function toolResults(world: ClaudeWorld, prompt: string): string[] {
  return world.apiEvents.flatMap((event) => {
    // The request with the prompt contains the result of a call that ended the previous turn.
    if (event.kind !== 'request' || event.scene === null || event.step === 0) return [];
    if (!event.prompt.includes(prompt)) return [];
    const content = event.body.messages.findLast(({ role }) => role === 'user')?.content;
    if (content === undefined || typeof content === 'string') return [];
    return content.flatMap((block) => (block.type === 'tool_result' ? [JSON.stringify(block.content)] : []));
  });
}

export const sceneOf = (name: string, ...replies: Reply[]): Scene => ({ name, about: name, replies });

export const replyWith = (...blocks: Block[]): Reply => ({ kind: 'answer', blocks });

export const runs = (command: string): Block => ({
  kind: 'tool',
  name: 'Bash',
  input: { command, description: 'Do it' },
});

export const asks = (...questions: object[]): Block => ({
  kind: 'tool',
  name: 'AskUserQuestion',
  input: { questions },
});
