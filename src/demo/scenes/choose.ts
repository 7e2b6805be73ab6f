import type { Turn } from '../messages-api/request.ts';
import { findScene } from './catalogue.ts';
import type { Reply, Scene } from './scene.ts';

/** Maps a prompt to a scene, or null if this chooser has none for it. */
export type ChooseScene = (prompt: string) => Scene | null;

/** The answer if a conversation continues after its scene, for example because a user types another prompt. */
const NOTHING_LEFT: Reply = {
  kind: 'answer',
  firstByteDelayMs: 300,
  blocks: [{ kind: 'text', text: 'That is done.' }],
};

/** Chooses the scene that a prompt names: `scene:ask` anywhere in the text. The last name counts. */
export const chooseByName: ChooseScene = (prompt) => {
  const name = [...prompt.matchAll(/\bscene:([a-z-]+)/g)].at(-1)?.[1];
  return name === undefined ? null : findScene(name);
};

/** Chooses by the whole prompt, as a user would type it. */
export function chooseByPrompt(scenes: Readonly<Record<string, Scene>>): ChooseScene {
  return (prompt) => {
    const own = prompt.trim();
    return Object.hasOwn(scenes, own) ? (scenes[own] ?? null) : null;
  };
}

/** Chooses the scene for a turn. A prompt that no chooser matches gets a short answer. */
export function chooseScene(turn: Turn, choosers: readonly ChooseScene[]): Scene | null {
  for (const choose of choosers) {
    const scene = choose(turn.prompt);
    if (scene !== null) return scene;
  }
  return findScene('hello');
}

/**
 * Returns the reply to a request. Some scenes let the first attempts fail.
 * @param attempt how many times this same request was sent before (Claude Code repeats a request after an overload)
 */
export function replyFor(scene: Scene | null, step: number, attempt: number): Reply {
  let at = 0;
  let remaining = attempt;
  for (const reply of scene?.replies ?? []) {
    if (reply.kind === 'error' && reply.times !== undefined) {
      // A temporary error comes before the reply that follows it, and does not count as a step.
      if (at === step && remaining < reply.times) return reply;
      if (at === step) remaining -= reply.times;
      continue;
    }
    if (at === step) return reply;
    at += 1;
  }
  return NOTHING_LEFT;
}
