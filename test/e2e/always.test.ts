import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import type { AlwaysChoices, Answer, AuditEntry } from '../../src/protocol/index.ts';
import { replyWith, runs, sceneOf, startAnswering } from '../harness/answering.ts';
import type { Cbos } from '../harness/cbos.ts';
import type { ClaudeWorld } from '../harness/claude.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';

/** npm takes a second to run a script, and half a minute on a machine at a load of 20. */
const RUN_MS = 60_000;
const DONE = replyWith({ kind: 'text', text: 'Done.' });

/** Chooses a command that records each run: `npm run count-MARK`. */
function choose(prompt: string): Scene | null {
  const mark = /run:(\w+)/.exec(prompt)?.[1];
  return mark === undefined ? null : sceneOf(mark, replyWith(runs(`npm run count-${mark}`)), DONE);
}

let world: ClaudeWorld;
let cbos: Cbos;
let spares: SpareSessions;
beforeAll(async () => {
  ({ world, cbos } = await startAnswering({ choosers: [choose] }));
  spares = spareSessions({ world, cbos: () => cbos });
  const scripts = ['session', 'project', 'rule'].map((mark) => [`count-${mark}`, `echo ran >> ../ran-${mark}`]);
  writeFileSync(join(world.projectDir, 'package.json'), JSON.stringify({ scripts: Object.fromEntries(scripts) }));
});
afterAll(() => world.dispose());

const timesRun = (mark: string): number => {
  const file = join(world.dir, `ran-${mark}`);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};
const kept = (): string => {
  const file = join(world.projectDir, '.claude/settings.local.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

// What is kept in the project allows the other commands as well, so that comes last.
test.each(['session', 'rule', 'project'] as const)(
  'always, for the %s: the same command is not asked about again',
  async (reach) => {
    const { slug } = await spares.take();
    const send = (text: string) => cbos.call('POST', `/sessions/${slug}/send`, { text });
    expect((await send(`run:${reach} first`)).error).toBeNull();
    await cbos.until(slug, ({ status }) => status.question?.kind === 'permission', 'asks');
    const { body: choices } = await cbos.call<AlwaysChoices>('GET', `/sessions/${slug}/always`);
    const { question_id } = choices;
    const about = choices[reach];
    // Claude Code suggests more than this command, and the words show it.
    expect(about).toContain(reach === 'rule' ? 'npm run count-rule' : 'npm run');
    const answer: Answer = { choice: 'always', question_id };
    const given =
      reach === 'rule'
        ? await cbos.call('POST', `/sessions/${slug}/always`, { question_id, rule: about })
        : await cbos.call('POST', `/sessions/${slug}/answer`, { ...answer, for: reach });
    expect(given.error).toBeNull();
    await waitFor(() => timesRun(reach) === 1, { describe: 'the command ran', timeoutMs: RUN_MS });
    await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is done');
    const asked: string[] = [];
    const watcher = await cbos.watch();
    watcher.send({ type: 'subscribe', sessions: [slug] });
    expect((await send(`run:${reach} again`)).error).toBeNull();
    await waitFor(() => timesRun(reach) === 2, { describe: 'it ran again, without a question', timeoutMs: RUN_MS });
    for (const frame of watcher.frames) {
      if (frame.type === 'session_state' && frame.status.question !== null) asked.push(frame.status.question.text);
    }
    watcher.close();
    if (reach === 'rule') {
      // Claude Code asks here, and the rule answers. CBOS hides the question for up to 1.5 s, which a slow machine
      // exceeds. Nobody else answers here, so the rule did, whether the question was seen or not.
      const { body: audit } = await cbos.call<AuditEntry[]>('GET', '/audit');
      expect(audit).toMatchObject([{ decision: 'allow', input: { command: 'npm run count-rule' } }]);
    } else expect(asked).toEqual([]);
    // Only the project's choice is written into the project.
    expect(kept().includes('npm run')).toBe(reach === 'project');
    await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is done');
    // What this session may do now must not help the next test.
    await cbos.call('POST', `/sessions/${slug}/kill`);
  },
  4 * RUN_MS,
);
