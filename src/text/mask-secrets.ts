/** The text that replaces a secret. */
const MASK = '••••';

/**
 * Patterns that match secrets: tokens of well-known services, recognized by their prefixes; private keys; and values
 * whose name says that they are a password, a token, or a key. Each pattern keeps the text that precedes the secret.
 * This protection is not complete, because secrets in other forms are not recognized.
 */
const SECRETS: readonly RegExp[] = [
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /()\b(?:sk-[\w-]{16,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|npm_\w{20,}|AKIA[A-Z0-9]{12,}|AIza[\w-]{30,}|whsec_[\w+/=]{16,}|tk_\w{20,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)/g,
  /(\b(?:Bearer|Basic)\s+)[\w.~+/=-]{8,}/gi,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi,
  /([\w-]*(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|token)["']?\s*[=:]\s*["']?)(?!["'\s$])[^\s"'&;,)]{4,}/gi,
  /(--?(?:password|passwd|secret|token|api-?key)\s+)(?![-$"'])\S{4,}/gi,
];

/** Replaces everything that looks like a secret. @returns the unchanged text if nothing looks like a secret */
export function maskSecrets(text: string): string {
  return SECRETS.reduce((masked, pattern) => masked.replace(pattern, (_, before: string) => `${before}${MASK}`), text);
}
