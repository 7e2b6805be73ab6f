import { tmpdir } from 'node:os';
import type { DemoFleet } from './demo/index.ts';
import { readSettings } from './platform/settings/index.ts';
import { iconOf, type Session } from './protocol/index.ts';
import { systemClock } from './server/clock.ts';
import type { Logger } from './server/logger.ts';
import { startServer } from './server/start-server.ts';

export interface DemoFleetOptions {
  /** the whole environment: nothing of the person's own is in it */
  environment: Readonly<Record<string, string>>;
  pid: number;
  version: string;
  log: Logger;
}

/** A server for the demo alone, in this process: it ends with it. */
export async function openDemoFleet(options: DemoFleetOptions): Promise<DemoFleet> {
  const { environment } = options;
  const home = environment.CBOS_HOME ?? '';
  const { settings } = await readSettings({ flags: {}, environment, cwd: home, userHome: environment.HOME ?? home });
  const server = await startServer({ ...options, settings, clock: systemClock, tempDir: tmpdir() });
  return {
    launch: async (session) => {
      await server.sessions.create(session);
    },
    onChange: (listener) =>
      server.sessions.onEvent((event) => {
        if (event.kind === 'state') listener(describe(event.session));
      }),
    close: async () => {
      for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
      await server.close();
    },
  };
}

function describe({ slug, state, status }: Session): string {
  const { primary, detail, question, because } = status;
  const what = detail === null ? (primary ?? 'starting') : detail.replaceAll('_', ' ');
  const why = question?.text.split('\n', 1)[0] ?? because.evidence;
  return `${iconOf(primary, state)} ${slug.padEnd(10)} ${what.padEnd(14)} ${why}`.trimEnd();
}
