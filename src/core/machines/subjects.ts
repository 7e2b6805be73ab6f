/**
 * The subjects of a fleet on its NATS server. `nats-config.ts` defines who may use which subject. A machine can neither
 * ask nor answer in the name of another one.
 */

/** The subject of a request from `asker` to `owner`. */
export const askSubject = (owner: string, asker: string): string => `cbos.ask.${owner}.${asker}`;

/** The subject of all requests to a machine. */
export const asksOf = (owner: string): string => askSubject(owner, '*');

/** Returns who sent a request, by its subject. */
export const askerOf = (subject: string): string => subject.split('.')[3] ?? '';

/** The subject of a machine's sessions, for all machines that may see them. */
export const rowsSubject = (owner: string): string => `cbos.rows.${owner}`;

/** Returns whose sessions a message contains, by its subject. */
export const ownerOfRows = (subject: string): string => subject.split('.')[2] ?? '';

/** The subject of the fleet's list of members. Only the founder may publish it. */
export const ROSTER_SUBJECT = 'cbos.roster';

/** The subject on which an invited machine asks to join. */
export const joinSubject = (invitation: string): string => `cbos.join.${invitation}`;

/** Returns the invitation by which a machine asks to join. */
export const invitationOf = (subject: string): string => subject.split('.')[2] ?? '';

/** The prefix of the subjects on which the answers for one key arrive. */
export const inboxPrefix = (id: string): string => `_INBOX.${id}`;

/**
 * Reports whether an answer may be sent to this subject. The NATS server lets a machine answer on any subject that a
 * request names. A request could therefore make the owner's answer look like the owner's own request to another
 * machine.
 */
export const isInboxOf = (reply: string | undefined, id: string): reply is string =>
  reply?.startsWith(`${inboxPrefix(id)}.`) === true;
