import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import type { Explanation, Session } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
afterAll(() => world.dispose());

const SAME = 'sh ./deploy.sh staging --with-the-usual-options-of-this-project --and-one-more';
const WORSE = `${SAME}; touch evil`;
const NICE = `${SAME}; echo "nothing else happens here, this is the harmless one of the two"`;

const replies = (name: string, ...steps: Reply[]): Scene => ({ name, about: name, replies: steps });
const answer = (...blocks: Block[]): Extract<Reply, { kind: 'answer' }> => ({ kind: 'answer', blocks });
const bash = (command: string): Block => ({ kind: 'tool', name: 'Bash', input: { command, description: 'Deploy' } });
const agent = (prompt: string): Block => ({
  kind: 'tool',
  name: 'Agent',
  input: { description: prompt, prompt, subagent_type: 'general-purpose' },
});
const DONE = answer({ kind: 'text', text: 'Done.' });

/** Two agents ask at once, for commands that begin the same. The worse command comes first, so its dialog is open. */
function choose(prompt: string): Scene | null {
  if (prompt.includes('part-worse')) return replies('worse', answer(bash(WORSE)), DONE);
  if (prompt.includes('part-nice')) return replies('nice', { ...answer(bash(NICE)), firstByteDelayMs: 6_000 }, DONE);
  return prompt.includes('scene:both') ? replies('both', answer(agent('part-worse'), agent('part-nice')), DONE) : null;
}

/** A dialog breaks a command into lines, and puts a mark before each of them. */
const squeeze = (text: string): string => text.replace(/[\s│]+/g, '');

test('a permission is never shown with the command of another agent that asks at the same time', async () => {
  world = await claudeWorld({ choosers: [choose] });
  const cbos = await startCbos(world);
  await cbos.call('POST', '/sessions', { slug: 'A', type: 'screen', path: world.projectDir });
  await cbos.untilStatus('A', 'idle/ready');
  await cbos.call('POST', '/sessions/A/send', { text: 'scene:both' });
  const asked = async (): Promise<number> => {
    const { hooks } = (await cbos.call<Explanation>('GET', '/sessions/A/explain')).body.evidence;
    return hooks?.tools.filter(({ requested_at }) => requested_at !== null).length ?? 0;
  };
  await waitFor(async () => (await asked()) === 2, { describe: 'both agents have asked', timeoutMs: 60_000 });
  // Which dialog comes first depends on the machine. An answer must go to the command that is shown.
  const answered: unknown[] = [];
  while (answered.length < 2) {
    const isNext = ({ status }: Session): boolean => status.question !== null && !answered.includes(status.question.id);
    const { question } = (await cbos.until('A', isNext, 'asks for the next one')).status;
    // If no hook reported which call a dialog is about, the command is in the dialog's own text.
    const told = question?.tool == null ? question?.text : JSON.stringify(question.tool.input);
    const command = told?.includes('nothing else happens') === true ? NICE : WORSE;
    const words = command.slice(command.indexOf(';'));
    expect(squeeze(told?.replaceAll('\\"', '"') ?? '')).toContain(squeeze(words));
    const { stdout: all } = await cbos.cli(['show', 'A']);
    // The other agent's question may follow, under a heading of its own and without a command that answers it.
    const [, stdout = '', later = ''] = all.split('A: agent');
    expect(later).not.toContain('cbos answer');
    // The dialog of the other agent may have come to the front by now.
    if ((await cbos.session('A')).status.question?.id !== question?.id) continue;
    expect(squeeze(stdout)).toContain(squeeze(words));
    expect(squeeze(stdout)).not.toContain(squeeze((command === NICE ? WORSE : NICE).slice(command.indexOf(';'))));
    const choice = command === WORSE ? 'no' : 'yes';
    const result = await cbos.call('POST', '/sessions/A/answer', { choice, question_id: question?.id });
    if (result.error?.code === 'stale_question' || result.error?.code === 'no_question') continue;
    expect(result.error).toBeNull();
    answered.push(question?.id);
  }
  expect(existsSync(join(world.projectDir, 'evil'))).toBe(false);
});
