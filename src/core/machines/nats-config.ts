import type { Member } from '../../protocol/index.ts';
import type { FounderBook } from './founder-book.ts';
import { askSubject, asksOf, hereSubject, inboxPrefix, joinSubject, rosterSubject, rowsSubject } from './subjects.ts';

/**
 * This limit is large enough for a prompt of a million characters, escaped as JSON as it is over REST, and for the
 * session list of a busy machine.
 */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

export interface NatsConfig {
  host: string;
  port: number;
  /** the absolute path of the file with the pid; the following three paths are absolute as well */
  pidFile: string;
  logFile: string;
  certFile: string;
  keyFile: string;
  /** the public key of the founder */
  founder: string;
  book: FounderBook;
}

/** Returns the configuration of a fleet's NATS server. It contains only public keys. */
export function natsConfig(config: NatsConfig): string {
  const { founder, book } = config;
  const users = [
    ...book.members.map((member) => memberEntry(member, founder)),
    ...book.invitations.map(({ id }) =>
      userEntry(id, { publish: [joinSubject(id)], subscribe: [`${inboxPrefix(id)}.>`], answers: false }),
    ),
  ];
  return `# Written by CBOS whenever a machine is invited, joins or is removed.
listen: ${quote(`${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`)}
server_name: "cbos-fleet"
pid_file: ${quote(config.pidFile)}
log_file: ${quote(config.logFile)}
logfile_size_limit: 1MB
max_payload: ${MAX_PAYLOAD_BYTES}
max_pending: 64MB
max_subscriptions: 64
write_deadline: "5s"
ping_interval: "10s"
ping_max: 2
tls {
  cert_file: ${quote(config.certFile)}
  key_file: ${quote(config.keyFile)}
  timeout: 10
}
authorization {
  timeout: 10
  users: [
${users.join('\n')}
  ]
}
`;
}

/** A machine may send requests only in its own name, and may receive only requests that are addressed to it. */
function memberEntry({ id, rights }: Member, founder: string): string {
  const isFounder = id === founder;
  return userEntry(id, {
    publish: [askSubject('*', id), rowsSubject(id), hereSubject(id), ...(isFounder ? [rosterSubject(founder)] : [])],
    subscribe: [
      asksOf(id),
      hereSubject(id),
      `${inboxPrefix(id)}.>`,
      rosterSubject(founder),
      ...(rights.includes('see') ? [rowsSubject('*')] : []),
      ...(isFounder ? [joinSubject('*')] : []),
    ],
    answers: true,
  });
}

function userEntry(id: string, may: { publish: string[]; subscribe: string[]; answers: boolean }): string {
  const list = (subjects: string[]): string => `[${subjects.map(quote).join(', ')}]`;
  // Allows one answer to each request, within the time limit of that request.
  const answers = may.answers ? ', allow_responses: { max: 1, expires: "1m" }' : '';
  return `    { nkey: ${id}, permissions: { publish: { allow: ${list(may.publish)} }, subscribe: { allow: ${list(may.subscribe)} }${answers} } }`;
}

const quote = (text: string): string => JSON.stringify(text);
