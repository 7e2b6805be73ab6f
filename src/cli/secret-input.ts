import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './command-error.ts';
import type { CliContext } from './context.ts';

/**
 * Reads a secret from a file, from the terminal (without echo), or from standard input. A secret is never passed as an
 * argument, because every user of a machine can read the command lines of processes.
 * @throws CommandError if there is no secret to read
 */
export async function readSecret({ io }: CliContext, what: string, file: string | undefined): Promise<string> {
  const text = file !== undefined ? await readSecretFile(resolve(io.cwd, file)) : await readInput(io, what);
  const secret = text.trim();
  if (secret === '') throw new UsageError(`The ${what} is empty`, 'cbos notify add --help');
  return secret;
}

async function readSecretFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${(cause as Error).message}`, 'give another --token-file');
  }
}

async function readInput(io: CliContext['io'], what: string): Promise<string> {
  if (io.stdin.isTTY !== true) {
    const parts: Buffer[] = [];
    for await (const part of io.stdin) parts.push(Buffer.from(part));
    return Buffer.concat(parts).toString('utf8');
  }
  io.stderr.write(`${what} (not shown): `);
  // Discards what readline echoes.
  const nowhere = new Writable({ write: (_, __, done) => done() });
  const dialog = createInterface({ input: io.stdin, output: nowhere, terminal: true });
  const closed = new Promise<string>((done) => dialog.once('close', () => done('')));
  try {
    return await Promise.race([dialog.question(''), closed]);
  } finally {
    dialog.close();
    io.stderr.write('\n');
  }
}
