import { isAbsolute } from 'node:path';
import { machinesFor } from '../client/index.ts';
import { CatalogueError, type MachineCall } from '../protocol/index.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { UsageError } from './command-error.ts';
import type { CliContext } from './context.ts';
import { requireStarted } from './require-started.ts';

export interface FarLaunch {
  /** a machine's name, or `any` */
  host: string;
  labels: readonly string[];
  /** the body of the launch request; its path is a path on the other machine */
  body: { slug: string; path: string; args?: string[] | undefined };
  isJson: boolean;
}

/**
 * Requires an absolute path, because a path relative to this machine's current directory means nothing on another
 * machine.
 * @throws CommandError if the path is missing or relative
 */
export function requireFarPath(path: string | undefined): void {
  if (path !== undefined && isAbsolute(path)) return;
  const hint = 'name it in full: cbos new NAME /home/me/src/shop --host MACHINE';
  throw new UsageError('--host needs the directory on that machine, as an absolute path', hint);
}

/** Launches a session on the named machine, or on the least busy machine that has the given labels. */
export async function launchFar(context: CliContext, { host, labels, body, isJson }: FarLaunch): Promise<void> {
  const { out } = context;
  const client = await context.client();
  const { fleet, machines } = await client.call('fleet');
  if (fleet === null) throw new CatalogueError('no_fleet');
  const candidates = host === 'any' ? machinesFor(machines, labels).map(({ name }) => name) : [host];
  const { machine, session } = await launchOnFirst(context, candidates, { route: 'createSession', body });
  const name = `${machine}/${body.slug}`;
  if (isJson) out.json({ ...session, slug: name });
  else {
    out.line(`${name} started in ${cleanLine(body.path)}`);
    out.line(`  cbos show ${name}     # see what it does and asks`);
  }
  if (body.args !== undefined) await requireStarted(context, name);
}

/** Launches a session on the first of the machines that can be reached. */
async function launchOnFirst(
  context: CliContext,
  machines: readonly string[],
  call: MachineCall,
): Promise<{ machine: string; session: object }> {
  const client = await context.client();
  for (const [at, machine] of machines.entries()) {
    try {
      const { value } = await client.call('callMachine', { body: { machine, call } });
      return { machine, session: value };
    } catch (error) {
      // The machine certainly did nothing, so it is safe to try another one. After any other failure, this could start
      // two sessions.
      const isGone = error instanceof CatalogueError && error.code === 'machine_unreachable';
      const next = machines[at + 1];
      if (!isGone || next === undefined) throw error;
      context.out.notice(`${machine} cannot be reached any more; trying ${next}`);
    }
  }
  throw new CatalogueError('machine_unreachable');
}
