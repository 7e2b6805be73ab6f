import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { openQuestions, type Question, type Session } from '../../src/protocol/index.ts';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

const SERVER = fileURLToPath(new URL('./asking-mcp-server.mjs', import.meta.url));

/** What the server asks (`elicitation/create`), and when it gives up. */
export interface Asked {
  ask: object;
  giveUpAfterMs?: number;
  /** true if the server gives up without a word to Claude Code */
  isSilent?: boolean;
}

/** Returns the arguments with which a session gets the MCP server `asking`, whose one tool asks the user. */
export function askingArguments(world: World): string[] {
  const file = join(world.dir, 'asking.json');
  const server = { command: process.execPath, args: [SERVER], env: { ANSWERS: answersFile(world) } };
  writeFileSync(file, JSON.stringify({ mcpServers: { asking: server } }));
  return ['--mcp-config', file, '--allowedTools', 'mcp__asking'];
}

const answersFile = (world: World): string => join(world.dir, 'answers.jsonl');

/** Returns everything that the server has got as answers, in order. */
export function answersOf(world: World): unknown[] {
  const file = answersFile(world);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.map((line): unknown => JSON.parse(line));
}

/** Returns the model's call of that tool. */
export const askingCall = (asked: Asked): Block => ({ kind: 'tool', name: 'mcp__asking__ask', input: { ...asked } });

/** Returns a scene in which the server asks, and the model then ends its turn. */
export function askingScene(name: string, ...asked: Asked[]): Scene {
  const calls: Reply = { kind: 'answer', blocks: asked.map(askingCall) };
  const said: Reply = { kind: 'answer', blocks: [{ kind: 'text', text: `over ${name}` }] };
  return { name, about: name, replies: [calls, said] };
}

/** Waits until the server has one more answer than before, and returns it. */
export async function answerAfter(world: World, before: number): Promise<unknown> {
  await waitFor(() => answersOf(world).length > before, { describe: 'the server has the answer' });
  return answersOf(world).at(-1);
}

/** Returns the open form of a session. */
export const formOf = ({ status }: Session): Question | undefined =>
  openQuestions(status).find(({ kind }) => kind === 'form');

/**
 * Chooses the scene in which the server asks what the prompt names: `scene:form`, `scene:choice`, `scene:address`, or a
 * form that the server gives up, with a word to Claude Code (`scene:cancelled`) or without (`scene:silent`).
 */
export const askingChooser =
  (giveUpAfterMs: number): ChooseScene =>
  (prompt) => {
    const name = /scene:(\w+)/.exec(prompt)?.[1] ?? '';
    const asked: Readonly<Record<string, Asked>> = {
      form: { ask: FORM },
      choice: { ask: CHOICE },
      address: { ask: ADDRESS },
      cancelled: { ask: FORM, giveUpAfterMs },
      silent: { ask: FORM, giveUpAfterMs, isSilent: true },
    };
    return asked[name] === undefined ? null : askingScene(name, asked[name]);
  };

/** A form with a field of every kind. */
export const FORM = {
  mode: 'form',
  message: 'Where should it go?',
  requestedSchema: {
    type: 'object',
    required: ['environment'],
    properties: {
      environment: {
        type: 'string',
        title: 'Environment',
        enum: ['staging', 'production'],
        enumNames: ['Staging', 'Production'],
      },
      count: { type: 'integer', minimum: 1, maximum: 5, default: 2, description: 'How many instances' },
      dry: { type: 'boolean', title: 'Dry run', default: true },
      owner: { type: 'string', format: 'email' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, maxItems: 2 },
    },
  },
};

/** A form with one choice. */
export const CHOICE = {
  mode: 'form',
  message: 'Deploy it?',
  requestedSchema: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean', title: 'Deploy' } } },
};

export const ADDRESS = {
  mode: 'url',
  message: 'Sign in, please',
  url: 'https://example.com/login?state=1',
  elicitationId: 'address-1',
};
