import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import type { CommandOptions } from './command-line.ts';

export interface Served {
  readonly server: FacesUnderTest;
  /** how a command reaches the server, started in the project's folder */
  readonly where: CommandOptions;
}

/** Starts a server for the commands that the tests of a file run. At the beginning of each test it has no session. */
export function serveCommands(): Served {
  let server: FacesUnderTest;
  beforeAll(async () => {
    server = await startFaces();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
  });
  return {
    get server() {
      return server;
    },
    get where() {
      return { socket: `${server.world.cbosHome}/cbos.sock`, cwd: server.world.projectDir };
    },
  };
}
