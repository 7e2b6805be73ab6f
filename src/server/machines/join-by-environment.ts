import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { CatalogueError, JoinFleet } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';

/** The pause between two attempts to join. In a cluster, the founder may start later than this machine. */
const AGAIN_MS = 5_000;
/** The errors after which trying again can help: the founder or the shared NATS server may start later. */
const AGAIN: ReadonlySet<string> = new Set(['machine_unreachable', 'nats_unreachable']);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Joins a fleet with the invitation from the environment. This is for containers and other machines on which no one
 * types commands. While the founder or the shared NATS server cannot be reached, the server tries again. An invitation
 * works only once, so a machine that is already a member ignores the invitation.
 */
export function joinByEnvironment(options: {
  environment: Environment;
  join(request: z.output<typeof JoinFleet>): Promise<unknown>;
  clock: Clock;
  logger: Logger;
}): Dispose {
  const { environment, clock, logger } = options;
  let isDisposed = false;
  let stopWaiting: Dispose = () => undefined;

  async function attempt(): Promise<void> {
    try {
      const request = requestIn(environment);
      if (request === null) return;
      await options.join(request);
      logger.info({}, 'joined the fleet of CBOS_FLEET_INVITATION');
    } catch (error) {
      if (!(error instanceof CatalogueError)) {
        logger.error({ err: error }, 'the fleet of CBOS_FLEET_INVITATION could not be joined');
        return;
      }
      const { code, message, hint } = error;
      logger.error({ code, hint }, `the fleet of CBOS_FLEET_INVITATION could not be joined: ${message}`);
      if (AGAIN.has(code) && !isDisposed) stopWaiting = clock.after(AGAIN_MS, () => void attempt());
    }
  }

  void attempt();
  return () => {
    isDisposed = true;
    stopWaiting();
  };
}

/**
 * Returns the request to join, or null if there is no invitation.
 * @throws CatalogueError invalid_setting
 */
function requestIn(environment: Environment): z.output<typeof JoinFleet> | null {
  const line = invitationIn(environment);
  if (line === null) return null;
  const { CBOS_FLEET_NAME: name, CBOS_FLEET_ALLOW: allow } = environment;
  const { CBOS_FLEET_CREDENTIALS_FILE: credentials, CBOS_FLEET_CA_FILE: authority } = environment;
  const request = JoinFleet.safeParse({
    line,
    allow: allow === 'none' ? [] : (allow || 'see').split(',').map((right) => right.trim()),
    ...(name ? { name } : {}),
    ...(credentials ? { credentials: readNamed('CBOS_FLEET_CREDENTIALS_FILE', credentials) } : {}),
    ...(authority ? { authority: readNamed('CBOS_FLEET_CA_FILE', authority) } : {}),
  });
  if (request.success) return request.data;
  throw new CatalogueError('invalid_setting', 'CBOS_FLEET_NAME or CBOS_FLEET_ALLOW is not valid', {
    hint: 'A name has lower-case letters, digits and "-"; rights are see,answer,type,launch,end or none',
  });
}

function invitationIn({ CBOS_FLEET_INVITATION: line, CBOS_FLEET_INVITATION_FILE: file }: Environment): string | null {
  if (line) return line.trim();
  if (!file) return null;
  return readNamed('CBOS_FLEET_INVITATION_FILE', file).trim() || null;
}

/** Reads the file whose path an environment variable contains. @throws CatalogueError invalid_setting */
function readNamed(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CatalogueError('invalid_setting', `The file of ${variable} cannot be read: ${file}`, {
      hint: 'Mount the file, or name another one',
      cause,
    });
  }
}
