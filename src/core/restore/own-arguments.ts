/** Arguments that choose the conversation. */
const CHOOSES = /^(--(continue|resume|session-id|from-pr|fork-session)(=|$)|-c$|-r$)/;
/** Reports whether the arguments choose the conversation that is launched. */
export function choosesConversation(args: readonly string[]): boolean {
  return args.some((word) => CHOOSES.test(word));
}

/** Flags without a value. A word after one of them is a prompt. */
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
 * Reports whether a launch with a user's own arguments can safely be repeated. Arguments that choose a conversation
 * could open one that belongs to another session. A prompt among the arguments would be sent again. A word that may be
 * either a value or a prompt counts as a prompt.
 */
export function isRepeatable(args: readonly string[]): boolean {
  return args.every((word, index) => {
    if (word.startsWith('-')) return word !== '--' && !CHOOSES.test(word);
    const before = args[index - 1];
    return before?.startsWith('-') === true && !before.includes('=') && !WITHOUT_VALUE.has(before);
  });
}
