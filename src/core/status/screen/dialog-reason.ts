/** Matches a line of the reason. Claude Code draws a bar to the left of the reason (2.1.330). */
const REASON_LINE = /^ │ (.*)$/;
/** Matches the line below the reason, which says where the user changes what made Claude Code ask (2.1.330). */
const WHERE_TO_CHANGE = / to (?:update hooks|update rules|let auto mode decide)$/;
/** Matches the line below the call. The agent writes the call, so a bar above this line proves nothing. */
const END_OF_CALL = /^ ?╌{8}/;
/** Matches what precedes the reason of a hook. The reason itself begins in the next line. */
const OF_HOOK = /^Hook \S.* requires confirmation for this \w+:$/;
/** Matches the source of a hook, which Claude Code appends to the reason: `[settings]`. */
const SOURCE = / \[[^[\]]+\]$/;

/**
 * Reads why Claude Code asks from the lines of a permission dialog above its options. The reason is between the line
 * below the call and the question. A PermissionRequest hook does not report the reason (2.1.330). Claude Code wraps the
 * reason, so line breaks within the reason are lost.
 */
export function readReason(lines: readonly string[]): { reason?: string } {
  const end = lines.findLastIndex((line) => END_OF_CALL.test(line));
  if (end < 0) return {};
  const below = lines.slice(end + 1);
  const after = below.findIndex((line) => !REASON_LINE.test(line));
  const drawn = below.slice(0, Math.max(0, after)).map((line) => (REASON_LINE.exec(line)?.[1] ?? '').trim());
  const next = below[after]?.trim() ?? '';
  if (drawn.length === 0 || (next !== '' && !WHERE_TO_CHANGE.test(next))) return {};
  const isOfHook = drawn.length > 1 && OF_HOOK.test(drawn[0] ?? '');
  const reason = isOfHook ? drawn.slice(1).join(' ').replace(SOURCE, '') : drawn.join(' ');
  return reason === '' ? {} : { reason };
}
