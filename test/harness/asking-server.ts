import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { openQuestions, type Question, type Session } from '../../src/protocol/index.ts';
import type { Cbos } from './cbos.ts';
import type { ClaudeWorld } from './claude.ts';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

const SERVER = fileURLToPath(new URL('./asking-mcp-server.mjs', import.meta.url));

/** What the server asks (`elicitation/create`), and when it gives up. */
export interface Asked {
  ask: object | string;
  giveUpAfterMs?: number;
  /** true if the server gives up without a word to Claude Code */
  isSilent?: boolean;
  /** true if the server confirms that the user is done at an address, when the test calls `confirm` */
  confirms?: boolean;
  /** true if the call continues after the answer, until the test calls `confirm` */
  worksOn?: boolean;
  /** which of several servers asks; default: `asking` */
  server?: string;
}

/**
 * Returns the arguments with which a session gets the MCP server `asking`, whose one tool asks the user.
 * @param names several such servers; each then adds its name to the answers that it records
 */
export function askingArguments(world: World, names: readonly string[] = ['asking']): string[] {
  const file = join(world.dir, `${names.join('-')}.json`);
  const serverOf = (name: string): [string, object] => {
    const env = {
      ANSWERS: answersFile(world),
      CONFIRMED: confirmedFile(world),
      ...(names.length > 1 ? { NAME: name } : {}),
    };
    return [name, { command: process.execPath, args: [SERVER], env }];
  };
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(names.map(serverOf)) }));
  return ['--mcp-config', file, '--allowedTools', names.map((name) => `mcp__${name}`).join(',')];
}

const answersFile = (world: World): string => join(world.dir, 'answers.jsonl');
const confirmedFile = (world: World): string => join(world.dir, 'confirmed');

/** Makes a server that confirms say that the user is done at its address, and ends a call that continues. */
export const confirm = (world: World): void => writeFileSync(confirmedFile(world), '');

/** Returns everything that the server has got as answers, in order. */
export function answersOf(world: World): unknown[] {
  const file = answersFile(world);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.map((line): unknown => JSON.parse(line));
}

/**
 * Sends prompts until a request of Claude Code names the tools of these servers. In a terminal, Claude Code connects to
 * its servers in the background, and until then a call of such a tool fails (2.1.330).
 */
export async function untilConnected(
  world: ClaudeWorld,
  cbos: Cbos,
  slug: string,
  servers = ['asking'],
): Promise<void> {
  const areNamed = async (): Promise<boolean> => {
    const before = world.apiEvents.length;
    await cbos.cli(['send', slug, 'hello', '--wait']);
    return world.apiEvents.slice(before).some((event) => {
      const told = event.kind === 'request' ? JSON.stringify(event.body) : '';
      return servers.every((server) => told.includes(`mcp__${server}__ask`));
    });
  };
  await waitFor(areNamed, { describe: 'Claude Code names the tools of the servers' });
}

/** Returns the model's call of that tool. */
export const askingCall = ({ server = 'asking', ...asked }: Asked): Block => ({
  kind: 'tool',
  name: `mcp__${server}__ask`,
  input: asked,
});

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
 * form that the server gives up, with a word to Claude Code (`scene:cancelled`) or without (`scene:silent`). With
 * `scene:confirmed`, the server also confirms that the user is done at the address.
 */
export const askingChooser =
  (giveUpAfterMs: number): ChooseScene =>
  (prompt) => {
    const name = /scene:(\w+)/.exec(prompt)?.[1] ?? '';
    const asked: Readonly<Record<string, Asked>> = {
      form: { ask: FORM },
      choice: { ask: CHOICE },
      address: { ask: ADDRESS },
      confirmed: { ask: ADDRESS, confirms: true },
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
