/** Arguments that select the conversation. */
const CHOOSES = /^(--(continue|resume|session-id|from-pr|fork-session)(=|$)|-c$|-r$)/;
/** Reports whether the arguments select the conversation to launch. */
export function choosesConversation(args: readonly string[]): boolean {
  return args.some((word) => CHOOSES.test(word));
}

/** Flags that take no value. A word that follows one of them is a prompt. */
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
 * Reports whether CBOS can safely repeat a launch that has the user's own arguments. Arguments that select a
 * conversation could open one that belongs to another session. A prompt among the arguments would be sent again. A word
 * that may be either a value or a prompt is treated as a prompt.
 */
export function isRepeatable(args: readonly string[]): boolean {
  return args.every((word, index) => {
    if (word.startsWith('-')) return word !== '--' && !CHOOSES.test(word);
    const before = args[index - 1];
    return before?.startsWith('-') === true && !before.includes('=') && !WITHOUT_VALUE.has(before);
  });
}
