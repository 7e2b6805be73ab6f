import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registryDirectory, watchRegistry } from '../../src/platform/claude/index.ts';
import type { ClaudeEvent } from '../../src/protocol/index.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { EVENT_SCENES } from '../recordings/event-scenes.ts';
import { driveClaude } from '../recordings/record-events.ts';
import { neutralText, shapeOf } from './neutral.ts';

/**
 * The scenes without a terminal, in the order in which they are played: the first one ends its process, and the second
 * process, which resumes the conversation, plays all others.
 */
export const JSON_SCENES = [
  'hello',
  'permission',
  'question',
  'questions',
  'tools',
  'interrupt',
  'error',
  'overloaded',
  'compact',
  'plan',
] as const;

/** What the terminal faces have no counterpart for, and what depends on how fast the machine is. */
const LEFT_OUT: ReadonlySet<unknown> = new Set([
  'stream_event',
  'thinking_tokens',
  'task_started',
  'task_notification',
  'background_tasks_changed',
]);

/** Plays all scenes and returns what each event says, in order. */
export async function playJson(agent: 'real' | 'stand-in'): Promise<Record<string, string[]>> {
  await using world = await claudeWorld({ agent });
  const { stage, events, end } = driveClaude(world, { program: [world.claude], env: {} });
  const neutral = { paths: [[world.dir, '/world']] as const };
  const traces: Record<string, string[]> = {};
  // Not in order, because some values last too short a time for a watch of the registry.
  const values = new Set<string>();
  const registry = watchRegistry({
    dir: registryDirectory(world.env),
    onRecord: ({ status, waitingFor }) => {
      const value = [status, waitingFor].filter((one) => one !== null).join(': ');
      if (value !== '') values.add(value);
    },
    onGone: () => values.add('gone'),
    onError: (error) => {
      throw error;
    },
  });
  world.onDispose(registry.stop);
  let from = 0;
  for (const name of JSON_SCENES) {
    await EVENT_SCENES[name]?.play(stage);
    const isIdle = () => events.at(-1)?.event.state === 'idle';
    await waitFor(isIdle, { describe: 'everything was said', actual: () => events.at(-1) });
    traces[name] = events
      .slice(from)
      .map(({ event }) => event)
      .filter(({ type, subtype }) => !LEFT_OUT.has(type) && !LEFT_OUT.has(subtype))
      .map((event) => describeEvent(event, (text) => neutralText(text, neutral)));
    from = events.length;
  }
  traces.registry = [...values].sort();
  await stage.prompt('scene:silent');
  const projects = join(world.home, '.claude', 'projects');
  const isWritten = () =>
    readdirSync(projects, { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.jsonl'))
      .some((name) => readFileSync(join(projects, name), 'utf8').includes('scene:silent'));
  await waitFor(isWritten, { describe: 'the prompt is in the transcript' });
  await end('SIGKILL');
  await stage.prompt('scene:hello');
  await stage.untilIdle();
  await end('SIGTERM');
  const requests = world.apiEvents.flatMap((event) => (event.kind === 'request' ? [event] : []));
  traces['killed during a turn'] = requests
    .at(-1)
    ?.body.messages.filter(({ role }) => role === 'user' || role === 'assistant')
    .slice(-3)
    .map(({ role, content }) => `${role} | ${lastText(content)}`) as string[];
  return traces;
}

/** Returns what a message says in the end. Claude Code puts its reminders before that. */
const lastText = (content: unknown): string | undefined =>
  typeof content === 'string' ? content : (content as { text?: string }[]).at(-1)?.text;

/** Returns the type of an event with the fields by which CBOS tells what happened. */
function describeEvent(event: ClaudeEvent, neutral: (text: string) => string): string {
  const fields = [
    'subtype',
    'state',
    'status',
    'permissionMode',
    'is_error',
    'num_turns',
    'result',
    'terminal_reason',
    'error',
    'isReplay',
    'isSynthetic',
    'aborted',
    'attempt',
    'result_index',
    'stop_reason',
    'is_api_error_message',
  ];
  const said = fields
    .filter((name) => event[name] !== undefined)
    .map((name) => `${name}=${JSON.stringify(event[name])}`);
  const { content } = (event.message ?? {}) as { content?: unknown };
  const inner = event.request ?? event.response ?? content;
  const shown =
    event.subtype === 'init'
      ? Object.keys(event).sort().join(' ')
      : cut(neutral(JSON.stringify(shapeOf(inner ?? null))));
  return [event.type, ...said, shown].join(' | ');
}

/** The answer to `initialize` lists all that a version knows, and a summary and an interrupted answer are long. */
const LONG: readonly (readonly [RegExp, string])[] = [
  [/"commands":/, 'a list of commands'],
  [/1\. This is l/, 'a part of the long answer'],
  [/^"This session is being continued/, 'a summary'],
];
const cut = (text: string): string => LONG.find(([pattern]) => pattern.test(text))?.[1] ?? text.slice(0, 300);
