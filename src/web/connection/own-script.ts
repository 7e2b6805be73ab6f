interface ScriptPolicy {
  createScriptURL(text: string): string;
}

let policy: ScriptPolicy | null = null;

/**
 * An address of a script of the page's own: the page's policy takes one only from its one maker, which can be made
 * once.
 */
export function ownScript(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: object): ScriptPolicy } };
  if (trustedTypes === undefined) return address;
  policy ??= trustedTypes.createPolicy('cbos', { createScriptURL: (text: string) => text });
  return policy.createScriptURL(address);
}
