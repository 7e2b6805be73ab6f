import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { type Cbos, startCbos } from './cbos.ts';
import { type ClaudeWorld, type ClaudeWorldOptions, claudeWorld } from './claude.ts';
import { type TypedKeys, watchTypedKeys } from './typed-keys.ts';

/** A server that answers questions of a real Claude Code. What it types is counted. */
export interface Answering {
  world: ClaudeWorld;
  typed: TypedKeys;
  cbos: Cbos;
}

export interface AnsweringOptions extends ClaudeWorldOptions {
  /** true: no hook waits for a reply, so every answer is typed */
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

/** The same world on a file system without FIFOs, as far as its programs can tell: no hook has a place to wait at. */
function withoutFifos(world: ClaudeWorld): ClaudeWorld {
  const bin = join(world.dir, 'without-fifos');
  mkdirSync(bin);
  writeFileSync(join(bin, 'mkfifo'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return { ...world, env: { ...world.env, PATH: `${bin}:${world.env.PATH}` } };
}

/**
 * What Claude Code told the model of the calls of the turns whose prompt has these words, in order; nothing of a call
 * that ended its turn.
 */
export function toolResults(world: ClaudeWorld, prompt: string): string[] {
  return world.apiEvents.flatMap((event) => {
    // With the prompt comes what became of a call that ended the turn before.
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
