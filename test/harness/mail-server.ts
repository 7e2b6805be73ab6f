import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SinkServer } from './sink-server.ts';

export interface Mail {
  from: string;
  to: string[];
  /** the headers, by their names in lower case */
  headers: Map<string, string>;
  body: string;
}

/** A mail server on loopback, whose transfers fail as the test requests. */
export interface MailServer extends AsyncDisposable {
  url: string;
  /** one entry for each transfer that was started */
  requests: unknown[];
  /** every message that was accepted, including repeated ones */
  mails: Mail[];
  /** called for each transfer */
  faultOf: SinkServer['faultOf'];
}

/** Starts a mail server. With a password, only the user `ada` may send. */
export async function startMail({ password }: { password?: string } = {}): Promise<MailServer> {
  const sockets = new Map<number, Socket>();
  const server = new SMTPServer({
    disabledCommands: password === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    // This test server has no certificate. CBOS itself sends no password without TLS, except on the same machine.
    allowInsecureAuth: true,
    authOptional: password === undefined,
    onAuth: ({ username, password: given }, _, done) =>
      username === 'ada' && given === password ? done(null, { user: username }) : done(new Error('wrong password')),
    onData: (stream, { remotePort, envelope }, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        started.requests.push(envelope);
        const fault = started.faultOf();
        const later = (text: string): void => done(Object.assign(new Error(text), { responseCode: 451 }));
        if (fault === 'busy') return later('slow down');
        if (fault === 'broken') return later('local error');
        if (fault === 'before') return void sockets.get(remotePort)?.destroy();
        started.mails.push(readMail(Buffer.concat(parts).toString(), envelope));
        if (fault === 'after') return void sockets.get(remotePort)?.destroy();
        done();
      });
    },
  });
  // If a test cuts a connection, that is reported as an error here.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    sockets.set(port, socket);
    socket.once('close', () => sockets.delete(port));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const started: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    requests: [],
    mails: [],
    faultOf: () => null,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.values()) socket.destroy();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
  return started;
}

interface Envelope {
  mailFrom: false | { address: string };
  rcptTo: readonly { address: string }[];
}

function readMail(text: string, { mailFrom, rcptTo }: Envelope): Mail {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    headers: new Map(headers),
    body: rest.join('\r\n\r\n'),
  };
}
