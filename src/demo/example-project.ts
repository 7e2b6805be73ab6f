import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A check that takes about three seconds, which is long enough to watch it run. */
const CHECK_SCRIPT = `#!/bin/sh
for part in format types tests; do
  sleep 1
  echo "ok  $part"
done
`;

const DEPLOY_SCRIPT = `#!/bin/sh
echo "deploying to \${1:-staging} (nothing leaves this machine)"
sleep 2
echo "done"
`;

/** The project's files by name, each with its content and mode. */
const FILES: Readonly<Record<string, { content: string; mode: number }>> = {
  'README.md': { content: '# Example\n\nA small service that answers with the time.\n', mode: 0o644 },
  'package.json': { content: '{ "name": "example", "version": "1.4.0", "type": "module" }\n', mode: 0o644 },
  'src/server.js': {
    content:
      "import { createServer } from 'node:http';\n\ncreateServer((_, response) => response.end(new Date().toISOString())).listen(8080);\n",
    mode: 0o644,
  },
  'check.sh': { content: CHECK_SCRIPT, mode: 0o755 },
  'deploy.sh': { content: DEPLOY_SCRIPT, mode: 0o755 },
};

/** Permission rules that allow the project's checks to run without asking. */
export const EXAMPLE_PROJECT_ALLOW: readonly string[] = ['Bash(./check.sh:*)'];

/** Writes the small example project on which the scenes' tools work. */
export function writeExampleProject(directory: string): void {
  for (const [name, { content, mode }] of Object.entries(FILES)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
  }
}
