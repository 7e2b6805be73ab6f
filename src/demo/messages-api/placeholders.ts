import type { Block } from '../scenes/scene.ts';
import type { MessagesRequest } from './request.ts';

/** Matches the path of the plan file in Claude Code's plan mode reminder (2.1.329). */
const PLAN_FILE = /(?:create your plan at|plan file already exists at|plan file at) (\/[^\s"\\]+\.md)/i;

/** Extracts the values for a scene's placeholders from the request. */
function valuesOf(request: MessagesRequest): ReadonlyMap<string, string> {
  const text = JSON.stringify([request.system, request.messages]);
  const values = new Map<string, string>();
  const planFile = PLAN_FILE.exec(text)?.[1];
  if (planFile !== undefined) values.set('{plan_file}', planFile);
  return values;
}

/**
 * Replaces placeholders such as `{plan_file}` in the tools' inputs with the paths from the request. A placeholder
 * without a value stays unchanged.
 */
export function fillPlaceholders(blocks: readonly Block[], request: MessagesRequest): readonly Block[] {
  if (!blocks.some((block) => block.kind === 'tool')) return blocks;
  const values = valuesOf(request);
  return blocks.map((block) => {
    if (block.kind !== 'tool') return block;
    const input = Object.fromEntries(
      Object.entries(block.input).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replace(/\{[a-z_]+\}/g, (word) => values.get(word) ?? word) : value,
      ]),
    );
    return { ...block, input };
  });
}
