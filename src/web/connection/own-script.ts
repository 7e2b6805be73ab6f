interface ScriptPolicy {
  createScriptURL(text: string): string;
}

let policy: ScriptPolicy | null = null;

/**
 * Returns the address of one of the page's own scripts, in the form of a trusted URL. The page's security policy
 * accepts such URLs only from a single policy object, which can be created only once.
 */
export function ownScript(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: object): ScriptPolicy } };
  if (trustedTypes === undefined) return address;
  policy ??= trustedTypes.createPolicy('cbos', { createScriptURL: (text: string) => text });
  return policy.createScriptURL(address);
}
