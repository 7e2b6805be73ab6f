import { tmpdir } from 'node:os';
import type { DemoFleet } from '../demo/index.ts';
import { readSettings } from '../platform/settings/index.ts';
import type { Session } from '../protocol/index.ts';
import { createSystemClock } from '../server/clock.ts';
import type { Logger } from '../server/logger.ts';
import { startServer } from '../server/start-server.ts';
import { sessionIcon, stateText } from '../text/session-words.ts';

export interface DemoFleetOptions {
  /** the server's complete environment, which contains nothing from the user's own */
  environment: Readonly<Record<string, string>>;
  pid: number;
  searchProgram: string;
  version: string;
  webDir: string;
  docsDir: string;
  log: Logger;
}

/** Starts a server that only the demo uses. The server runs in this process and ends with it. */
export async function openDemoFleet(options: DemoFleetOptions): Promise<DemoFleet> {
  const { environment } = options;
  const home = environment.CBOS_HOME ?? '';
  const { settings } = await readSettings({ flags: {}, environment, cwd: home, userHome: environment.HOME ?? home });
  const server = await startServer({
    ...options,
    settings,
    rules: [],
    budgetRules: [],
    clock: createSystemClock(),
    tempDir: tmpdir(),
  });
  return {
    launch: async (session) => {
      await server.sessions.create(session);
    },
    onChange: (listener) => {
      const last = new Map<string, string>();
      return server.sessions.onEvent((event) => {
        if (event.kind !== 'state') return;
        const { slug, status } = event.session;
        // A dialog's options become known a moment after the dialog itself, which leads to a second change with the
        // same status.
        const shown = `${status.primary}/${status.detail} ${status.because.evidence}`;
        if (last.get(slug) === shown) return;
        last.set(slug, shown);
        listener(describe(event.session));
      });
    },
    close: async () => {
      for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
      await server.close();
    },
  };
}

function describe(session: Session): string {
  const { slug, status } = session;
  const { question, because } = status;
  const why = question === null || question.kind === 'permission' ? because.evidence : question.text.split('\n', 1)[0];
  return `${sessionIcon(session)} ${slug.padEnd(10)} ${stateText(session).padEnd(15)} ${why}`.trimEnd();
}
