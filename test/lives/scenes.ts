import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { askingCall, FORM } from '../harness/asking-server.ts';

/** What a prompt makes the model do. */
export type TurnKind = 'plain' | 'slow' | 'asks' | 'agents' | 'enters' | 'form';

/** Returns a prompt of a life. The model reads from the prompt what to do in the turn. */
export const promptOf = (turn: number, kind: TurnKind, agents = 0): string =>
  `turn-${turn} is ${kind}${agents === 0 ? '' : ` with ${agents}`}`;

/** The mark by which a turn is found again in the conversation that Claude Code sends to the model. */
export const markOf = (turn: number): string => `turn-${turn} is `;

/** What the model says at the end of a turn. */
export const answerOf = (turn: number): string => `This is the answer of turn ${turn}.`;

/** What the model says after the user's Stop hook has blocked the end of a turn. */
export const ANSWER_TO_BLOCK = 'Now it is complete.';

/** The reason that the user's Stop hook gives. */
export const BLOCKED_BECAUSE = 'not complete yet';

/** The names of the files that a turn's agents, or the turn itself, want to create. */
export const filesOf = (turn: number, agents: number): readonly string[] =>
  agents === 0 ? [`made-${turn}`] : Array.from({ length: agents }, (_, agent) => `made-${turn}-${agent}`);

const say = (text: string, firstByteDelayMs = 0): Reply => ({
  kind: 'answer',
  firstByteDelayMs,
  blocks: [{ kind: 'text', text }],
});

/** Long enough for a kill or an interrupt in the middle. */
const SLOW_TEXT = Array.from({ length: 80 }, (_, line) => `Thought ${line} about it.`).join('\n');

/**
 * Returns the model of a life.
 * @param folder where the files are that the model wants to create
 */
export function modelOf(folder: string): ChooseScene {
  const scene = (name: string, ...replies: Reply[]): Scene => ({ name, about: name, replies });
  const create = (name: string): Block => ({
    kind: 'tool',
    name: 'Bash',
    input: { command: `touch ${folder}/${name}` },
  });
  const startAgent = (name: string): Block => ({
    kind: 'tool',
    name: 'Agent',
    input: { description: `create ${name}`, prompt: `Please create ${name}`, subagent_type: 'general-purpose' },
  });
  const plays: Readonly<Record<TurnKind, (turn: number, agents: number) => Reply[]>> = {
    plain: (turn) => [say(answerOf(turn))],
    slow: (turn) => [
      {
        kind: 'answer',
        blocks: [
          { kind: 'text', text: SLOW_TEXT, chunkDelayMs: 30 },
          { kind: 'text', text: answerOf(turn) },
        ],
      },
    ],
    asks: (turn) => [{ kind: 'answer', blocks: filesOf(turn, 0).map(create) }, say(answerOf(turn))],
    // The turn goes on for a while, so that some agents ask during it and some after it.
    agents: (turn, agents) => [
      { kind: 'answer', blocks: filesOf(turn, agents).map(startAgent) },
      say(answerOf(turn), 400),
    ],
    enters: (turn) => [
      { kind: 'answer', blocks: [{ kind: 'tool', name: 'EnterWorktree', input: { name: `tree-${turn}` } }] },
      say(answerOf(turn)),
    ],
    form: (turn) => [{ kind: 'answer', blocks: [askingCall({ ask: FORM })] }, say(answerOf(turn))],
  };
  return (prompt) => {
    const agent = /^Please create (made-[\d-]+)$/m.exec(prompt)?.[1];
    if (agent !== undefined) return scene('agent', { kind: 'answer', blocks: [create(agent)] }, say('It is created.'));
    if (prompt.includes(BLOCKED_BECAUSE)) return scene('after-block', say(ANSWER_TO_BLOCK, 200));
    const turn = /^\s*turn-(\d+) is (plain|slow|asks|agents|enters|form)(?: with (\d))?/.exec(prompt);
    if (turn === null) return null;
    return scene(turn[2] ?? '', ...plays[turn[2] as TurnKind](Number(turn[1]), Number(turn[3] ?? 0)));
  };
}
