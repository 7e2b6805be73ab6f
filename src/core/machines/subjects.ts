/**
 * The subjects of a fleet on its NATS server. Who may use which is in `nats-config.ts`: a machine can neither ask nor
 * answer in the name of another.
 */

/** A request to `owner`, from `asker`. */
export const askSubject = (owner: string, asker: string): string => `cbos.ask.${owner}.${asker}`;

/** All requests to a machine. */
export const asksOf = (owner: string): string => askSubject(owner, '*');

/** Returns who sent a request, by its subject. */
export const askerOf = (subject: string): string => subject.split('.')[3] ?? '';

/** The sessions of a machine, told to all that may see them. */
export const rowsSubject = (owner: string): string => `cbos.rows.${owner}`;

/** Returns whose sessions a message contains, by its subject. */
export const ownerOfRows = (subject: string): string => subject.split('.')[2] ?? '';

/** Who belongs to the fleet. Only the founder may publish it. */
export const ROSTER_SUBJECT = 'cbos.roster';

/** The request of a machine that was invited. */
export const joinSubject = (invitation: string): string => `cbos.join.${invitation}`;

/** Returns the invitation by which a machine asks to join. */
export const invitationOf = (subject: string): string => subject.split('.')[2] ?? '';

/** Where the answers for one key arrive. */
export const inboxPrefix = (id: string): string => `_INBOX.${id}`;

/**
 * Reports whether an answer may be sent there. The NATS server lets a machine answer at any subject that a request
 * names, so a request could have its answer sent as a request of the owner to somebody else.
 */
export const isInboxOf = (reply: string | undefined, id: string): reply is string =>
  reply?.startsWith(`${inboxPrefix(id)}.`) === true;
