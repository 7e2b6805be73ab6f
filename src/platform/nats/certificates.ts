import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { runProgram } from '../process/index.ts';

/** Certificates are valid for ten years. After that, the fleet must be set up again. */
const VALID_DAYS = '3650';
const OPENSSL_MS = 20_000;

export interface Certificates {
  /** the certificate of the authority, in PEM format, which is not secret */
  authority: string;
  certFile: string;
  keyFile: string;
}

/**
 * Creates the fleet's own certificate authority and the certificate of its NATS server. The authority's key is deleted
 * immediately, because the authority never signs another certificate.
 * @param options.host the name or address by which machines reach the server, for which the certificate is valid
 * @throws CatalogueError nats_missing, nats_failed
 */
export async function makeCertificates(options: { dir: string; host: string; openssl: string }): Promise<Certificates> {
  const { dir, host, openssl } = options;
  const file = (name: string): string => join(dir, name);
  /** @param subject the only argument that contains a space */
  const run = async (words: string, subject?: string): Promise<void> => {
    const args = [...words.split(' '), ...(subject === undefined ? [] : [subject])];
    // openssl writes keys with mode 0600, and other users have no access to the directory.
    const result = await runProgram(openssl, args, { env: { PATH: '/usr/bin:/bin' }, timeoutMs: OPENSSL_MS, cwd: dir });
    if (result.outcome === 'not_found') throw new CatalogueError('nats_missing');
    if (result.code !== 0) {
      const why = result.stderr.trim().split('\n').at(-1) ?? '';
      throw new CatalogueError('nats_failed', `openssl could not create the certificates: ${why}`);
    }
  };
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256';
  const san = isIP(host) === 0 ? `DNS:${host}` : `IP:${host}`;
  await writeFile(
    file('openssl.cnf'),
    `[req]\ndistinguished_name=dn\n[dn]\n[ca]\nbasicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign\n[server]\nbasicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=${san}\n`,
    { mode: 0o600 },
  );
  const config = '-config openssl.cnf';
  try {
    const authority = `-extensions ca -days ${VALID_DAYS} -keyout ca.key -out ca.pem`;
    await run(`req -x509 ${config} ${key} ${authority} -subj`, '/CN=CBOS fleet');
    await run(`req ${config} ${key} -keyout server.key.new -out server.csr -subj`, '/CN=CBOS fleet server');
    const serial = `-set_serial 0x${randomBytes(16).toString('hex')}`;
    const signing = `-CA ca.pem -CAkey ca.key ${serial} -sha256 -days ${VALID_DAYS}`;
    await run(`x509 -req -in server.csr ${signing} -extfile openssl.cnf -extensions server -out server.pem`);
    await rename(file('server.key.new'), file('server.key'));
  } finally {
    for (const name of ['ca.key', 'server.csr', 'openssl.cnf', 'server.key.new']) await rm(file(name), { force: true });
  }
  const authority = await readFile(file('ca.pem'), 'utf8');
  return { authority, certFile: file('server.pem'), keyFile: file('server.key') };
}

/**
 * The directories in which Debian keeps these programs. A user's PATH often lacks the directories for administrators.
 */
const SYSTEM_DIRECTORIES = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin'];

/**
 * Finds a program in the absolute entries of PATH and in the system's directories.
 * @throws CatalogueError nats_missing
 */
export function requireProgram(name: string, path: string | undefined): string {
  const directories = [...(path ?? '').split(':').filter((one) => one.startsWith('/')), ...SYSTEM_DIRECTORIES];
  const found = directories.map((directory) => join(directory, name)).find((file) => existsSync(file));
  if (found === undefined) throw new CatalogueError('nats_missing', `The program ${name} was not found`);
  return found;
}
