/** Arguments that choose the conversation. */
const CHOOSES = /^(--(continue|resume|session-id|from-pr|fork-session)(=|$)|-c$|-r$)/;
/** Flags without a value, so that a word behind one of them is a prompt. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  '--verbose',
  '--dangerously-skip-permissions',
  '--allow-dangerously-skip-permissions',
  '--ide',
  '--strict-mcp-config',
  '--chrome',
  '--no-chrome',
  '--disable-slash-commands',
]);

/**
 * Whether a launch with a person's own arguments does only what a launch without them does. One that chooses a
 * conversation could open another session's, and one that has a prompt would send it again. A word that may be either
 * counts as a prompt.
 */
export function isRepeatable(args: readonly string[]): boolean {
  return args.every((word, index) => {
    if (word.startsWith('-')) return word !== '--' && !CHOOSES.test(word);
    const before = args[index - 1];
    return before?.startsWith('-') === true && !before.includes('=') && !WITHOUT_VALUE.has(before);
  });
}
