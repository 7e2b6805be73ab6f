/** The action with which Claude Code submits the prompt. CBOS presses Enter for it. */
const SUBMIT = 'chat:submit';
/** The names of the Enter key. */
const ENTER: ReadonlySet<string> = new Set(['enter', 'return']);

/** The contexts whose bindings apply in the prompt. A binding in `Global` takes Enter from the prompt (2.1.330). */
const IN_PROMPT: ReadonlySet<unknown> = new Set(['Global', 'Chat']);

/**
 * Returns what Enter does in the prompt, according to a user's `keybindings.json`, or null if it submits the prompt.
 * `nothing` means that the key is unbound. Claude Code ignores a file that is not strict JSON, and in a context, the
 * last binding of a key counts (2.1.330).
 */
export function enterDoes(text: string): string | null {
  const does = new Map<unknown, string | null>();
  for (const { context, bindings } of contextsIn(text)) {
    if (!IN_PROMPT.has(context) || !isObject(bindings)) continue;
    for (const [key, action] of Object.entries(bindings)) {
      if (!ENTER.has(key.toLowerCase())) continue;
      does.set(context, action === SUBMIT ? null : typeof action === 'string' ? action : 'nothing');
    }
  }
  return does.get('Chat') ?? does.get('Global') ?? null;
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
