/**
 * Who signs what on a NATS server of somebody else, where the server does not enforce the subjects of `nats-config.ts`.
 */

/** Returns the key that signs a message on this subject. Null if no machine may send one. */
export function signerOfMessage(subject: string, founder: string): string | null {
  const [, kind, first = null, second = null] = subject.split('.');
  switch (kind) {
    case 'ask':
      return second;
    case 'rows':
    case 'here':
    case 'join':
      return first;
    case 'roster':
      return founder;
    default:
      return null;
  }
}

/** Returns the key that signs the answer to a request on this subject. */
export function signerOfAnswer(subject: string, founder: string): string | null {
  const [, kind, first = null] = subject.split('.');
  return kind === 'join' ? founder : first;
}
