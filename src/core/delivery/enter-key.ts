/** The action with which Claude Code submits the prompt. CBOS presses Enter for it. */
const SUBMIT = 'chat:submit';
/** The names of the Enter key. */
const ENTER: ReadonlySet<string> = new Set(['enter', 'return']);

/**
 * Returns what Enter does in the prompt, according to a user's `keybindings.json`, or null if it submits the prompt.
 * `nothing` means that the key is unbound. Claude Code ignores a file that is not strict JSON, and in a context, the
 * last binding of a key counts (2.1.330).
 */
export function enterDoes(text: string): string | null {
  let does: string | null = null;
  for (const { context, bindings } of contextsIn(text)) {
    if (context !== 'Chat' || !isObject(bindings)) continue;
    for (const [key, action] of Object.entries(bindings)) {
      if (!ENTER.has(key.toLowerCase())) continue;
      does = action === SUBMIT ? null : typeof action === 'string' ? action : 'nothing';
    }
  }
  return does;
}

function contextsIn(text: string): Record<string, unknown>[] {
  try {
    const file: unknown = JSON.parse(text);
    return isObject(file) && Array.isArray(file.bindings) ? file.bindings.filter(isObject) : [];
  } catch {
    return [];
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
