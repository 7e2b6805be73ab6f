import { findScene } from './catalogue.ts';
import type { Reply, Scene } from './scene.ts';

/** Chooses a scene for a prompt. Returns null if this chooser has no scene for the prompt. */
export type ChooseScene = (prompt: string) => Scene | null;

/**
 * The answer if a conversation continues after the end of its scene, for example because the user types another prompt.
 */
const NOTHING_LEFT: Reply = {
  kind: 'answer',
  firstByteDelayMs: 300,
  blocks: [{ kind: 'text', text: 'That is done.' }],
};

/**
 * Chooses the scene that a prompt names as `scene:ask`, anywhere in its text. If it names several scenes, the last one
 * counts.
 */
export const chooseByName: ChooseScene = (prompt) => {
  const name = [...prompt.matchAll(/\bscene:([a-z-]+)/g)].at(-1)?.[1];
  return name === undefined ? null : findScene(name);
};

/** Chooses the scene by the whole prompt, which a user would type in exactly these words. */
export function chooseByPrompt(scenes: Readonly<Record<string, Scene>>): ChooseScene {
  return (prompt) => {
    const own = prompt.trim();
    return Object.hasOwn(scenes, own) ? (scenes[own] ?? null) : null;
  };
}

/** Chooses the scene for a prompt. If no chooser has a scene for the prompt, the scene is a short answer. */
export function chooseScene(prompt: string, choosers: readonly ChooseScene[]): Scene | null {
  for (const choose of choosers) {
    const scene = choose(prompt);
    if (scene !== null) return scene;
  }
  return findScene('hello');
}

/**
 * Returns the reply to a request. In some scenes, the first attempts fail.
 * @param attempt how many times the same request was sent before, because Claude Code repeats a request after an
 * overload error
 */
export function replyFor(scene: Scene | null, step: number, attempt: number): Reply {
  let at = 0;
  let remaining = attempt;
  for (const reply of scene?.replies ?? []) {
    if (reply.kind === 'error' && reply.times !== undefined) {
      // A temporary error precedes the actual reply, and does not count as a step of the scene.
      if (at === step && remaining < reply.times) return reply;
      if (at === step) remaining -= reply.times;
      continue;
    }
    if (at === step) return reply;
    at += 1;
  }
  return NOTHING_LEFT;
}
