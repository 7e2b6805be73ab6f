/**
 * Who signs what on a shared NATS server, which does not enforce the subjects of `nats-config.ts`.
 */

/** Returns the key that must sign a message on this subject, or null if no machine may send such a message. */
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

/** Returns the key that must sign the answer to a request on this subject. */
export function signerOfAnswer(subject: string, founder: string): string | null {
  const [, kind, first = null] = subject.split('.');
  return kind === 'join' ? founder : first;
}
