import type { Item } from './fold-events.ts';

/** Formats a conversation as a Markdown file. */
export function conversationMarkdown(title: string, items: readonly Item[]): string {
  return `${[`# ${title}`, ...items.flatMap(blocksOf)].join('\n\n')}\n`;
}

function blocksOf(item: Item): string[] {
  switch (item.kind) {
    case 'prompt':
      return [`## ${timeOf(item.at)}`, quoted(item.text)];
    case 'text':
      return [item.text];
    case 'thinking':
      return [];
    case 'tool': {
      const input = typeof item.input === 'string' ? item.input : (JSON.stringify(item.input, null, 2) ?? '');
      const said = item.output === null || item.output === '' ? [] : [fenced(item.output, '')];
      return [`**${item.name}**${item.isError ? ' (failed)' : ''}`, fenced(input, 'json'), ...said];
    }
    case 'end':
      return item.error === null ? [] : [`**Error:** ${item.error}`];
    case 'note':
      return [`*${item.text}*`];
  }
}

/** @param at the time in Unix seconds */
function timeOf(at: number): string {
  return new Date(at * 1_000).toISOString().replace('T', ' ').slice(0, 16);
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/**
 * Puts text into a code block. The fence is longer than any fence in the text, because a tool's output may contain code
 * blocks itself.
 */
function fenced(text: string, language: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
