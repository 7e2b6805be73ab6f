import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { createAccount, createOperator, createUser, type KeyPair } from '@nats-io/nkeys';
import { capture } from '../../scripts/run-command.mjs';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

/** How the certificate of a node differs from a good one, or what the node wants besides. */
export type NodeKind = 'good' | 'other name' | 'expired' | 'wants a certificate' | 'without TLS';

/** Real NATS servers with TLS and JWTs, as an operator runs them, under an authority that no system knows. */
export interface NatsOperator {
  /** the certificate of the authority (PEM), and a file that contains it */
  authority: string;
  authorityFile: string;
  /** the certificate of another authority */
  otherAuthority: string;
  /** Starts a node, and returns its address for `--nats`. */
  start(kind?: NodeKind): Promise<string>;
  /** Ends the node at an address, and starts it again at the same address, with what is revoked by now. */
  startAgain(address: string): Promise<void>;
  /** Returns the content of a credentials file for a new user. */
  credentials(user?: User): string;
  /** Writes a credentials file with mode 0600, and returns its path. */
  credentialsFile(name: string, content?: string): string;
  /** Revokes the credentials of a user. The nodes know it once they are started again. */
  revoke(credentials: string): void;
}

export interface User {
  /** in seconds from now; negative for credentials that have expired */
  expiresInS?: number;
  /** an account without JetStream */
  isPlain?: boolean;
  /** the subjects on which the user may publish and listen */
  publish?: readonly string[];
  subscribe?: readonly string[];
}

const RIGHTS = ['cbos.>', '_INBOX.>', '$JS.API.>'];

export async function startNatsOperator(world: World): Promise<NatsOperator> {
  const dir = join(world.dir, 'operator');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = (name: string): string => join(dir, name);
  const certify = await createCertificates(dir, world.env);
  const authority = readFileSync(file('ca.pem'), 'utf8');

  const operator = createOperator();
  const [system, fleet, plain] = [createAccount(), createAccount(), createAccount()];
  const revoked: Record<string, number> = {};
  const unlimited = { subs: -1, data: -1, payload: -1 };
  const account = (key: KeyPair, name: string, isPlain: boolean): string => {
    const limits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
    const jetStream = isPlain ? {} : { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
    const claims = {
      type: 'account',
      limits: { ...limits, ...jetStream },
      default_permissions: {},
      revocations: revoked,
    };
    return writeJwt(operator, { sub: key.getPublicKey(), name }, claims);
  };

  const program = findOnPath(['nats-server'], '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin') ?? 'nats-server';
  const nodes = new Map<string, { kind: NodeKind; port: number; child: ChildProcess }>();

  const run = async (kind: NodeKind, port: number): Promise<ChildProcess> => {
    const node = kind.replaceAll(' ', '-');
    const { cert, key } = await certify(node, kind);
    const verify = kind === 'wants a certificate' ? `, ca_file: "${file('ca.pem')}", verify: true` : '';
    const tls = kind === 'without TLS' ? '' : `tls { cert_file: "${cert}", key_file: "${key}"${verify} }`;
    const id = (one: KeyPair): string => one.getPublicKey();
    writeFileSync(
      file(`${node}.conf`),
      `listen: "127.0.0.1:${port}"
${tls}
jetstream { store_dir: "${file(node)}", max_mem: 64MB, max_file: 256MB }
operator: ${writeJwt(operator, { sub: id(operator), name: 'O' }, { type: 'operator' })}
system_account: ${id(system)}
resolver: MEMORY
resolver_preload {
  ${id(system)}: ${account(system, 'SYS', true)}
  ${id(fleet)}: ${account(fleet, 'FLEET', false)}
  ${id(plain)}: ${account(plain, 'PLAIN', true)}
}
`,
    );
    const child = spawn(program, ['-c', file(`${node}.conf`), '-l', file(`${node}.log`)], {
      env: world.env,
      stdio: 'ignore',
    });
    await once(child, 'spawn');
    await waitFor(() => accepts(port), { describe: `the node (${kind}) listens`, timeoutMs: 30_000 });
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  world.onDispose(async () => {
    for (const { child } of nodes.values()) await kill(child);
  });

  return {
    authority,
    authorityFile: file('ca.pem'),
    otherAuthority: readFileSync(file('other-ca.pem'), 'utf8'),
    start: async (kind = 'good') => {
      const port = await world.freePort();
      const address = `${kind === 'without TLS' ? 'nats' : 'tls'}://127.0.0.1:${port}`;
      nodes.set(address, { kind, port, child: await run(kind, port) });
      return address;
    },
    startAgain: async (address) => {
      const node = nodes.get(address);
      if (node === undefined) throw new Error(`there is no node at ${address}`);
      await kill(node.child);
      node.child = await run(node.kind, node.port);
    },
    credentials: ({ expiresInS, isPlain = false, publish = RIGHTS, subscribe = RIGHTS } = {}) => {
      const user = createUser();
      const claims = { type: 'user', ...unlimited, pub: { allow: publish }, sub: { allow: subscribe } };
      const exp = expiresInS === undefined ? {} : { exp: seconds() + expiresInS };
      const jwt = writeJwt(isPlain ? plain : fleet, { sub: user.getPublicKey(), name: 'user', ...exp }, claims);
      return credentialsText(jwt, Buffer.from(user.getSeed()).toString('latin1'));
    },
    credentialsFile: (name, content = '') => {
      writeFileSync(file(name), content, { mode: 0o600 });
      return file(name);
    },
    revoke: (credentials) => {
      const [, claims = ''] = (/(\S+)\n-+END NATS USER JWT/.exec(credentials)?.[1] ?? '').split('.');
      const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { sub: string };
      revoked[sub] = seconds();
    },
  };
}

const seconds = (): number => Math.floor(Date.now() / 1_000);

/** Writes a JWT of NATS, version 2. */
function writeJwt(issuer: KeyPair, subject: { sub: string; name: string; exp?: number }, nats: object): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = encode({ typ: 'JWT', alg: 'ed25519-nkey' });
  const iat = seconds() - 3_600;
  const body = encode({ jti: 'x', iat, iss: issuer.getPublicKey(), ...subject, nats: { ...nats, version: 2 } });
  const signature = Buffer.from(issuer.sign(Buffer.from(`${head}.${body}`))).toString('base64url');
  return `${head}.${body}.${signature}`;
}

/** As `nsc generate creds` writes them. */
const credentialsText = (jwt: string, seed: string): string => `-----BEGIN NATS USER JWT-----
${jwt}
------END NATS USER JWT------

************************* IMPORTANT *************************
NKEY Seed printed below can be used to sign and prove identity.
NKEYs are sensitive and should be treated as secrets.

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------

*************************************************************
`;

/** Creates two authorities, and returns a function that creates the certificate of a node, signed by the first. */
async function createCertificates(dir: string, env: Record<string, string>) {
  const file = (name: string): string => join(dir, name);
  const openssl = async (...args: string[]): Promise<void> => {
    const made = await capture('openssl', args, env);
    if (!made.ok) throw new Error(made.output);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'other-ca']) {
    const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    await openssl('req', '-x509', ...key, '-subj', `/CN=${name}`, '-days', '30', ...files);
  }
  return async (node: string, kind: NodeKind): Promise<{ cert: string; key: string }> => {
    const names = kind === 'other name' ? 'DNS:nats.example' : 'IP:127.0.0.1,DNS:nats.example';
    writeFileSync(file(`${node}.ext`), `subjectAltName=${names}\n`);
    const csr = file(`${node}.csr`);
    const days = kind === 'expired' ? '-1' : '30';
    await openssl('req', ...key, '-subj', '/CN=node', '-keyout', file(`${node}.key`), '-out', csr);
    const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
    const out = ['-extfile', file(`${node}.ext`), '-days', days, '-out', file(`${node}.pem`)];
    await openssl('x509', '-req', '-in', csr, ...signer, ...out);
    return { cert: file(`${node}.pem`), key: file(`${node}.key`) };
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
