import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';
import { BLOCKED_BECAUSE, modelOf } from './scenes.ts';

/** A world for one session: a repository, another folder, the user's own hooks, and a model that obeys the prompts. */
export interface LifeWorld extends ClaudeWorld {
  /** where the files are that the model creates */
  made: string;
  /** the folder to which the session can move */
  other: string;
  /** lets the user's Stop hook block the end of the next turn as many times */
  blockStops(times: number): void;
}

/** The user's UserPromptSubmit hook refuses prompts that contain this word. */
export const REFUSED_WORD = 'secret';

/** Blocks the end of a turn until the file contains 0, like the loops that users build. */
const STOP_HOOK = `left=$(cat "$HOME/../blocks-left")
[ "$left" -gt 0 ] || exit 0
echo $((left - 1)) >"$HOME/../blocks-left"
echo '{"decision": "block", "reason": "${BLOCKED_BECAUSE}"}'`;

const PROMPT_HOOK = `case "$(cat)" in
*${REFUSED_WORD}*) echo 'Not this one.' >&2; exit 2 ;;
esac`;

export async function lifeWorld(): Promise<LifeWorld & AsyncDisposable> {
  let made = '';
  const world = await claudeWorld({ projects: ['other'], choosers: [(prompt) => modelOf(made)(prompt)] });
  made = join(world.dir, 'made');
  mkdirSync(made);
  createWorktreeRepository(world, 'project').commit('begin', { 'a.txt': 'a\n' });
  const blocksLeft = join(world.dir, 'blocks-left');
  const blockStops = (times: number): void => writeFileSync(blocksLeft, String(times));
  blockStops(0);
  writeOwnHooks(world, { Stop: STOP_HOOK, UserPromptSubmit: PROMPT_HOOK });
  return { ...world, made, other: join(world.dir, 'other'), blockStops, [Symbol.asyncDispose]: world.dispose };
}

/** Adds hooks to the user's own settings, which CBOS never changes. */
function writeOwnHooks(world: ClaudeWorld, scripts: Readonly<Record<string, string>>): void {
  const settingsFile = join(world.home, '.claude', 'settings.json');
  const settings = JSON.parse(readFileSync(settingsFile, 'utf8')) as Record<string, unknown>;
  const hooks = Object.fromEntries(
    Object.entries(scripts).map(([event, script]) => {
      const command = join(world.dir, `${event}.sh`);
      writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return [event, [{ hooks: [{ type: 'command', command }] }]];
    }),
  );
  writeFileSync(settingsFile, JSON.stringify({ ...settings, hooks }));
}
