import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

/** Wrappers with an account of their own, whose Claude Code gets neither the settings nor the mark of CBOS. */
const WRAPPER = (claude: string): string => `#!/bin/sh
[ "$1" = --version ] && exec '${claude}' "$@"
mkdir -p "$HOME/work"; cp -n "$HOME/.claude.json" "$HOME/work/"
case "$WRAPPED_BY" in
settings) CLAUDE_CONFIG_DIR="$HOME/work" exec '${claude}' "$@" --settings '{"env":{"TEAM":"a"}}' ;;
cleared) exec env -i CLAUDE_CONFIG_DIR="$HOME/work" HOME="$HOME" PATH="$PATH" TERM="$TERM" \\
  $(env | grep -E '^(CLAUDE_CODE|DISABLE|ANTHROPIC|NO_PROXY|TMPDIR)') '${claude}' "$@" ;;
child) env -i CLAUDE_CONFIG_DIR="$HOME/work" HOME="$HOME" PATH="$PATH" TERM="$TERM" \\
  $(env | grep -E '^(CLAUDE_CODE|DISABLE|ANTHROPIC|NO_PROXY|TMPDIR)') '${claude}' "$@"; exit $? ;;
*) exec '${claude}' "$@" ;;
esac
`;

let world: ClaudeWorld;
let cbos: Cbos;

beforeAll(async () => {
  world = await claudeWorld();
  const command = join(world.dir, 'claude');
  writeFileSync(command, WRAPPER(world.claude), { mode: 0o755 });
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: command, CBOS_JSON_IDLE_TIMEOUT: '1' });
});
afterAll(() => world.dispose());

const create = async (slug: string, wrappedBy: string, type = 'screen'): Promise<void> => {
  const env = { WRAPPED_BY: wrappedBy };
  expect((await cbos.call('POST', '/sessions', { slug, type, path: world.projectDir, env })).error).toBeNull();
  if (type === 'screen') await cbos.untilStatus(slug, 'idle/ready');
};
const ask = async (slug: string, text: string): Promise<void> => {
  const { code, stderr } = await cbos.cli(['send', slug, text, '--wait']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
};
/** Returns what the model was sent last. */
const lastRequest = (): string =>
  JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null));

describe.each(['settings', 'cleared', 'child'])(
  'a wrapper of the kind %s, whose Claude Code runs no hook of CBOS',
  (kind) => {
    test('a restart continues the conversation in the account of the wrapper', async () => {
      const slug = `STOPPED-${kind}`;
      await create(slug, kind);
      await ask(slug, `scene:hello first ${kind}`);
      expect((await cbos.cli(['show', slug])).stdout).toMatch(/hooks +no hook reports, so the status comes only from/);
      expect((await cbos.cli(['doctor'])).stdout).toMatch(
        new RegExp(`no hook of .*${slug} has reported since the launch`),
      );
      expect((await cbos.cli(['stop', slug])).code).toBe(0);
      const { code, stdout } = await cbos.cli(['restart', slug]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${slug} restarted; resuming its conversation\n` });
      await ask(slug, `scene:hello second ${kind}`);
      expect(lastRequest()).toContain(`scene:hello first ${kind}`);
    });

    test('a JSON session continues its conversation after its process has ended because it was idle', async () => {
      const slug = `JSON-${kind}`;
      await create(slug, kind, 'json');
      await ask(slug, `scene:hello first in JSON ${kind}`);
      await cbos.until(slug, ({ pid }) => pid === null, 'has no process');
      await ask(slug, `scene:hello second in JSON ${kind}`);
      expect(lastRequest()).toContain(`scene:hello first in JSON ${kind}`);
    });
  },
);

test('a killed session is restored with the conversation in the account of the wrapper', async () => {
  await create('KILLED', 'settings');
  await ask('KILLED', 'scene:hello before the kill');
  process.kill((await cbos.session('KILLED')).pid ?? 0, 'SIGKILL');
  await cbos.until('KILLED', ({ state }) => state === 'dead', 'is dead');
  expect((await cbos.cli(['restart', 'KILLED'])).code).toBe(0);
  await ask('KILLED', 'scene:hello after the kill');
  expect(lastRequest()).toContain('scene:hello before the kill');
});

test('a session whose conversation is in no known account is not restarted with an empty one', async () => {
  await create('GONE', 'settings');
  await ask('GONE', 'scene:hello in a conversation that goes away');
  expect((await cbos.cli(['stop', 'GONE'])).code).toBe(0);
  rmSync(join(world.home, 'work', 'projects'), { recursive: true });
  const { code, stderr } = await cbos.cli(['restart', 'GONE']);
  expect({ code, stderr }).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('The conversation of GONE is gone'),
  });
  expect((await cbos.session('GONE')).state).toBe('dead');
});

test('a session that was never prompted begins a new conversation with a restart, and the command reports that', async () => {
  await create('BLANK', 'settings');
  expect(await cbos.session('BLANK')).not.toHaveProperty('hooks_silent');
  expect((await cbos.cli(['stop', 'BLANK'])).code).toBe(0);
  const { code, stdout } = await cbos.cli(['restart', 'BLANK']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'BLANK restarted; it begins a new conversation\n' });
});
