import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { resolveClaude } from '../platform/claude/index.ts';
import { readSettings } from '../platform/settings/index.ts';
import { CatalogueError, type Settings } from '../protocol/index.ts';
import { searchProgram, type ThisProgram, webDirectory } from './this-program.ts';

/** `cbos demo`, with the user's Claude Code, or in a checkout with the pinned one. */
export async function runLocalDemo(
  self: ThisProgram,
  { signal, print }: { signal: AbortSignal; print: (line: string) => void },
): Promise<void> {
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
        log: pino({ level: 'silent' }),
      }),
    print,
    signal,
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
