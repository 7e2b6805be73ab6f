import type { Block } from '../scenes/scene.ts';
import type { MessagesRequest } from './request.ts';

/** Where Claude Code says (2.1.329), in a reminder of plan mode, which file the plan belongs into. */
const PLAN_FILE = /(?:create your plan at|plan file already exists at|plan file at) (\/[^\s"\\]+\.md)/i;

/** What the placeholders in a scene stand for, as the request says. */
function valuesOf(request: MessagesRequest): ReadonlyMap<string, string> {
  const text = JSON.stringify([request.system, request.messages]);
  const values = new Map<string, string>();
  const planFile = PLAN_FILE.exec(text)?.[1];
  if (planFile !== undefined) values.set('{plan_file}', planFile);
  return values;
}

/** Puts the request's own paths into the tools' inputs: `{plan_file}`. A placeholder without a value stays as it is. */
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
