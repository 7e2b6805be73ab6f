import { isThisMachine } from './http-request.ts';
import type { Attempt, SinkDriver, SinkMessage } from './sink-driver.ts';

/** How long each step of sending a mail may take. */
const STEP_LIMIT_MS = 15_000;
const IMPLICIT_TLS = 'smtps:';
const PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };

/** Nodemailer's codes for errors that occur before any part of a message has been sent (10.6). */
const BEFORE: ReadonlySet<string> = new Set(['EDNS', 'ETLS', 'EREQUIRETLS']);
/** Nodemailer's codes for errors that would occur again with the same message. */
const FINAL: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH']);
/** From this reply code on, a mail server refuses a message permanently (RFC 5321, 4.2.1). */
const PERMANENT = 500;

type MailError = Error & { code?: string; syscall?: string; responseCode?: number };

/**
 * Sends mail through the user's mail server. Mail cannot be recalled and has no buttons, so this sink only reports. The
 * `Message-ID` is the same in every attempt, because most mail systems drop the second copy of a message if the first
 * one arrived but its confirmation was lost.
 * @param options.url smtps://USER@HOST:PORT, or smtp: with STARTTLS, which must succeed unless the server is on this
 * machine
 */
export function openEmail(options: { url: string; from: string; to: string; password: string | null }): SinkDriver {
  const { from, to, password } = options;
  const server = new URL(options.url);
  const { protocol, hostname, port, username } = server;
  const host = hostname.replace(/^\[|\]$/g, '');

  /** Each message uses a connection of its own, because messages are rare and mail servers close idle connections. */
  async function connect() {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host,
      port: port === '' ? (PORTS[protocol] ?? 0) : Number(port),
      secure: protocol === IMPLICIT_TLS,
      requireTLS: !isThisMachine(server),
      ...(password === null ? {} : { auth: { user: decodeURIComponent(username), pass: password } }),
      connectionTimeout: STEP_LIMIT_MS,
      greetingTimeout: STEP_LIMIT_MS,
      socketTimeout: STEP_LIMIT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async function send({ id, session, title, body }: SinkMessage): Promise<Attempt> {
    const transport = await connect();
    try {
      await transport.sendMail({
        from,
        to,
        subject: title,
        text: session === '' ? body : `${body}\n\nTo answer: cbos answer ${session}`,
        messageId: `<${id}@cbos.invalid>`,
        // This header tells programs that reply on behalf of an absent user not to reply (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return { kind: 'sent', remote: null };
    } catch (error) {
      return attemptOf(error as MailError);
    } finally {
      transport.close();
    }
  }

  return { to: `${to}, through ${host}`, mostButtons: 0, send };
}

function attemptOf(fault: MailError): Attempt {
  const { code = '', syscall, responseCode, message: error } = fault;
  if (FINAL.has(code)) return { kind: 'refused', error };
  if (responseCode !== undefined) {
    return responseCode >= PERMANENT ? { kind: 'refused', error } : { kind: 'unsent', error, afterMs: null };
  }
  const isBefore = BEFORE.has(code) || syscall === 'connect';
  return { kind: isBefore ? 'unsent' : 'unsure', error, afterMs: null };
}
