import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DemoRequest } from '../cli/local-host.ts';
import { resolveClaude } from '../platform/claude/index.ts';
import { readSettings } from '../platform/settings/index.ts';
import { CatalogueError, type Settings } from '../protocol/index.ts';
import { docsDirectory, searchProgram, type ThisProgram, webDirectory } from './this-program.ts';

/** Runs `cbos demo` with the user's own Claude Code. In a checkout, the pinned version is used if the user has none. */
export async function runLocalDemo(self: ThisProgram, { face, signal, onProgress: print }: DemoRequest): Promise<void> {
  const [{ NO_CLAUDE, runDemo }, { openDemoFleet }, { pino }] = await Promise.all([
    import('../demo/index.ts'),
    import('./demo-fleet.ts'),
    import('pino'),
  ]);
  const { settings } = await readSettings({ ...self, flags: {} });
  const claude = findDemoClaude(self, settings);
  if (claude === null) throw new CatalogueError('claude_not_found', NO_CLAUDE);
  await runDemo({
    claude,
    nodeDirectory: dirname(self.node),
    temporaryDirectory: tmpdir(),
    program: self.calledAs,
    openFleet: (environment) =>
      openDemoFleet({
        environment,
        pid: self.pid,
        searchProgram: searchProgram(self),
        version: self.version,
        webDir: webDirectory(self),
        docsDir: docsDirectory(self),
        log: pino({ level: 'silent' }),
      }),
    print,
    show:
      face === 'lines'
        ? null
        : async (home, ended) => {
            await runIn(self, { home, args: [face === 'page' ? 'open' : 'start'], signal: ended });
            // The page runs in a browser, and nothing reports when the user closes it.
            if (face === 'page') await untilInterrupted(ended, print);
          },
    signal,
  });
}

async function untilInterrupted(ended: AbortSignal, print: (line: string) => void): Promise<void> {
  print('Ctrl+C ends the demo and cleans up.');
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
}

/** Runs this program in this terminal, using the demo's home and none of the user's settings. */
function runIn(
  self: ThisProgram,
  { home, args, signal }: { home: string; args: readonly string[]; signal: AbortSignal },
): Promise<void> {
  const own = Object.entries(self.environment).filter(([name]) => !name.startsWith('CBOS_'));
  const child = spawn(self.node, [self.program, ...args], {
    stdio: 'inherit',
    env: { ...Object.fromEntries(own), CBOS_HOME: home },
  });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}

function findDemoClaude(self: ThisProgram, settings: Settings): string | null {
  const pinned = join(
    dirname(self.program),
    '..',
    'node_modules',
    '@anthropic-ai',
    `claude-code-linux-${process.arch}`,
    'claude',
  );
  for (const command of [settings.claude_command, pinned]) {
    try {
      return resolveClaude(command, self.environment.PATH ?? '');
    } catch (cause) {
      if (!(cause instanceof CatalogueError)) throw cause;
    }
  }
  return null;
}
