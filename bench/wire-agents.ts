import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hookSettings, parseClaudeVersion } from '../src/platform/claude/index.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import type { World } from '../test/harness/world.ts';
import { type Change, parseChanges } from './status-lags.ts';

/** The version whose hooks and screen the agent imitates; its `--version` prints the same. */
const VERSION = '2.1.330';

/** The agents of a world that behave like Claude Code on the wire: `wire-agent.sh`. */
export interface WireAgents {
  /** for the server */
  env: Record<string, string>;
  /** for the session with this name */
  envOf(name: string): Record<string, string>;
  /** has the agents of these sessions run some turns each, and resolves with every change that they made */
  work(names: readonly string[], turns: number): Promise<Change[]>;
}

export function wireAgents(world: World): WireAgents {
  const dir = join(world.dir, 'agents');
  const hooks = join(world.dir, 'agent-hooks');
  for (const one of [dir, hooks]) mkdirSync(one, { mode: 0o700 });
  writeHooks(hooks);
  const command = fileURLToPath(new URL('wire-agent.sh', import.meta.url));
  const fileOf = (name: string, kind: 'fifo' | 'changes'): string => join(dir, `${name}.${kind}`);
  const read = (name: string): string =>
    existsSync(fileOf(name, 'changes')) ? readFileSync(fileOf(name, 'changes'), 'utf8') : '';
  return {
    env: { CBOS_CLAUDE_COMMAND: command, BENCH_DIR: dir, BENCH_HOOKS: hooks },
    envOf: (name) => ({ BENCH_NAME: name }),
    async work(names, turns) {
      const before = new Map(names.map((name) => [name, read(name).length]));
      for (const name of names) writeLine(fileOf(name, 'fifo'), String(turns));
      const since = (name: string): string => read(name).slice(before.get(name));
      await waitFor(() => names.every((name) => since(name).endsWith('finished\n')), {
        describe: 'the agents have run their turns',
        timeoutMs: turns * 60_000,
      });
      return names.flatMap((name) => parseChanges(name, since(name)));
    },
  };
}

/** Writes the commands that Claude Code would find in its settings, one file for each event. */
function writeHooks(directory: string): void {
  const version = parseClaudeVersion(VERSION);
  if (version === null) throw new Error(`no version: ${VERSION}`);
  const { hooks } = hookSettings(version) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  for (const [event, [entry]] of Object.entries(hooks)) {
    writeFileSync(join(directory, event), entry?.hooks[0]?.command ?? '');
  }
}

/** Writes into a FIFO without waiting for a reader: the agent keeps the FIFO open for reading and writing. */
function writeLine(fifo: string, line: string): void {
  const file = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    writeSync(file, `${line}\n`);
  } finally {
    closeSync(file);
  }
}
