import {
  claudeVersion,
  createOwnKeys,
  formatClaudeVersion,
  hookEventsOf,
  keysFile,
  resolveClaude,
} from '../../claude/index.ts';
import { runProgram } from '../../process/index.ts';
import { type Finding, fault, ok, warning } from '../check.ts';
import { configDirectoriesOf } from '../configuration.ts';
import type { DoctorContext } from '../context.ts';

/** The same version as in `engines` in package.json. The packages outside the bundle need it. */
const OLDEST_NODE = { major: 20, minor: 19 };

/**
 * How long to wait for a program to report its version. Every program answers within milliseconds unless the machine is
 * under load.
 */
const ANSWER_MS = 5_000;

export function checkNode({ nodeVersion }: DoctorContext): Finding {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)) return ok(nodeVersion);
  return fault(
    `${nodeVersion} is older than ${OLDEST_NODE.major}.${OLDEST_NODE.minor}`,
    'Install a newer Node: https://nodejs.org/en/download',
  );
}

/** The output is `Screen version 4.09.00 (GNU) 30-Jan-22`, with exit code 0 (5.0) or 1 (4.9). */
export async function checkScreen({ sessionEnvironment }: DoctorContext): Promise<Finding> {
  const { outcome, stdout } = await runProgram('screen', ['-v'], { env: sessionEnvironment, timeoutMs: ANSWER_MS });
  const version = /Screen version (\S+)/i.exec(stdout)?.[1];
  if (version !== undefined) return ok(version);
  return outcome === 'not_found'
    ? fault('not installed', 'sudo apt-get install screen')
    : fault('"screen -v" prints no version', 'Reinstall it: sudo apt-get install --reinstall screen');
}

/**
 * Recordings use the advanced timing format, which requires util-linux 2.35 or later. BusyBox and the BSDs have a
 * different `script`.
 */
export async function checkScript({ sessionEnvironment }: DoctorContext): Promise<Finding> {
  const options = { env: sessionEnvironment, timeoutMs: ANSWER_MS };
  const [help, about] = await Promise.all([
    runProgram('script', ['--help'], options),
    runProgram('script', ['--version'], options),
  ]);
  if (help.outcome === 'not_found') return fault('not installed', 'Install it: `sudo apt-get install bsdutils`');
  const version = /util-linux (\S+)/.exec(about.stdout)?.[1] ?? 'of unknown origin';
  if (help.stdout.includes('--logging-format')) return ok(`util-linux ${version}`);
  return fault(`script ${version} has no --logging-format`, 'Install util-linux 2.35 or later');
}

export async function checkClaude({ settings, sessionEnvironment }: DoctorContext): Promise<Finding> {
  const program = resolveClaude(settings.claude_command, sessionEnvironment.PATH ?? '');
  const version = await claudeVersion(program, sessionEnvironment);
  const found = `${formatClaudeVersion(version)} at ${program}`;
  if (hookEventsOf(version).length > 0) return ok(found);
  return warning(
    `${found} does not support hooks, so the status comes only from the screen, with a delay`,
    'Update it: npm install -g @anthropic-ai/claude-code',
  );
}

/** CBOS presses Enter to submit a prompt. */
export async function checkKeys({ sessionEnvironment, now, askSessions }: DoctorContext): Promise<Finding> {
  const keys = createOwnKeys(() => now);
  const running = await askSessions();
  for (const configDir of configDirectoriesOf(sessionEnvironment, running)) {
    const does = keys.enterDoes(configDir);
    if (does === null) continue;
    return fault(
      `${keysFile(configDir)} binds Enter to ${JSON.stringify(does)}, so CBOS cannot send prompts`,
      'Bind "enter" to "chat:submit" in the context "Chat" of that file, and remove it from "Global"',
    );
  }
  return ok('Enter submits the prompt');
}
