/**
 * The subjects of a fleet on its NATS server. `nats-config.ts` defines who may use which subject. A machine can neither
 * ask nor answer in the name of another one.
 */

/** The subject for a request from `asker` to `owner`. */
export const askSubject = (owner: string, asker: string): string => `cbos.ask.${owner}.${asker}`;

/** The subject for all requests to a machine. */
export const asksOf = (owner: string): string => askSubject(owner, '*');

/** Returns the sender of a request, according to its subject. */
export const askerOf = (subject: string): string => subject.split('.')[3] ?? '';

/** The subject on which a machine publishes its sessions, for all machines that may see them. */
export const rowsSubject = (owner: string): string => `cbos.rows.${owner}`;

/** Returns the machine whose sessions a message contains, according to its subject. */
export const ownerOfRows = (subject: string): string => subject.split('.')[2] ?? '';

/** The subject for the fleet's member list. Only the founder may publish on it. */
export const ROSTER_SUBJECT = 'cbos.roster';

/** The subject on which an invited machine asks to join. */
export const joinSubject = (invitation: string): string => `cbos.join.${invitation}`;

/** Returns the invitation that a machine uses in its request to join. */
export const invitationOf = (subject: string): string => subject.split('.')[2] ?? '';

/** The prefix of the subjects on which answers for one key arrive. */
export const inboxPrefix = (id: string): string => `_INBOX.${id}`;

/**
 * Reports whether an answer may be sent to this subject. The NATS server lets a machine answer on any subject that a
 * request names. A request could therefore make the owner's answer look like the owner's own request to another
 * machine.
 */
export const isInboxOf = (reply: string | undefined, id: string): reply is string =>
  reply?.startsWith(`${inboxPrefix(id)}.`) === true;
