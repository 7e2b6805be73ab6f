/**
 * Matches paths that Claude Code recognizes after `@`. A mention ends at the first space, a `#` begins a line range,
 * and a quote begins another form of mention.
 */
const MENTIONABLE = /^\/[\p{L}\p{N}/._+=,-]*[A-Za-z0-9]$/u;

/** Reports whether Claude Code recognizes this path in a mention. */
export const isMentionable = (path: string): boolean => MENTIONABLE.test(path);

/**
 * Returns the prompt that makes Claude Code read the files. Each file is mentioned as `@PATH` on a line of its own
 * after the text. If the prompt is a command, the mentions remain on the command's line, because they are its
 * arguments.
 */
export function mentionFiles(text: string, paths: readonly string[], { isCommand }: { isCommand: boolean }): string {
  const mentions = paths.map((path) => `@${path}`);
  if (text.trim() === '') return mentions.join('\n');
  return isCommand ? [text.trimEnd(), ...mentions].join(' ') : `${text}\n\n${mentions.join('\n')}`;
}
