/**
 * The subjects that a fleet uses on its NATS server. `nats-config.ts` defines which machine may use which subject. No
 * machine can ask or answer in the name of another machine.
 */

/** The subject for a request from the machine `asker` to the machine `owner`. */
export const askSubject = (owner: string, asker: string): string => `cbos.ask.${owner}.${asker}`;

/** The subject that covers all requests to a machine. */
export const asksOf = (owner: string): string => askSubject(owner, '*');

/** Returns the machine that sent a request, according to the request's subject. */
export const askerOf = (subject: string): string => subject.split('.')[3] ?? '';

/** The subject on which a machine publishes its sessions to all machines that may see them. */
export const rowsSubject = (owner: string): string => `cbos.rows.${owner}`;

/** Returns the machine that a list of sessions comes from, according to the message's subject. */
export const ownerOfRows = (subject: string): string => subject.split('.')[2] ?? '';

/**
 * The subject on which servers with the same key notice each other. No machine with another key may use this subject.
 */
export const hereSubject = (id: string): string => `cbos.here.${id}`;

/** The subject for the fleet's member list. Only the founder may publish on it. */
export const rosterSubject = (founder: string): string => `cbos.roster.${founder}`;

/** The subject on which an invited machine asks to join. */
export const joinSubject = (invitation: string): string => `cbos.join.${invitation}`;

/** Returns the invitation with which a machine asks to join, according to the subject of its request. */
export const invitationOf = (subject: string): string => subject.split('.')[2] ?? '';

/** Returns the prefix of the subjects on which the machine or invitation with this key receives answers. */
export const inboxPrefix = (id: string): string => `_INBOX.${id}`;

/**
 * Reports whether an answer may be sent to this subject. The NATS server lets a machine answer on any subject that a
 * request names. Without this check, a request could make the owner's answer look like a request from the owner to
 * another machine.
 */
export const isInboxOf = (reply: string | undefined, id: string): reply is string =>
  reply?.startsWith(`${inboxPrefix(id)}.`) === true;
