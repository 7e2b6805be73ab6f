import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pinnedClaude, pinnedVersion } from '../harness/claude.ts';

const PACKAGE = '@anthropic-ai/claude-code';

/** How long a download of 70 MB may take on a slow line. */
const INSTALL_TIMEOUT_MS = 600_000;
const LOOK_UP_TIMEOUT_MS = 60_000;

/** How many versions a message names around one that does not exist. */
const NEIGHBOURS = 6;

const run = promisify(execFile);

/** An error that the person who records can fix. Its message is all they need. */
export class RecorderError extends Error {}

export interface ObtainOptions {
  version: string;
  /** where downloaded versions are stored, one directory each; never in the repository */
  cacheDir: string;
  print: (line: string) => void;
}

/**
 * Returns the command that runs a version of Claude Code: the pinned one if it has that version, or else from the
 * cache, or else from npm (install scripts switched off). Up to about 2.1.110 it is a script for node, later a
 * program for the platform.
 * @throws RecorderError if npm has no such version, or cannot be reached
 */
export async function obtainClaude(options: ObtainOptions): Promise<string[]> {
  const { version, cacheDir, print } = options;
  if (version === pinnedVersion()) return [pinnedClaude()];
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new RecorderError(`${version} is no version; --claude 2.1.50, for one`);
  const place = join(cacheDir, version);
  if (!existsSync(place)) {
    const wanted = await packageOf(version);
    print(`downloading ${wanted} into ${place}`);
    await install(wanted, cacheDir, place);
  }
  const native = join(place, 'node_modules', `${PACKAGE}-linux-${process.arch}`, 'claude');
  if (existsSync(native)) return [native];
  const script = join(place, 'node_modules', PACKAGE, 'cli.js');
  if (existsSync(script)) return [process.execPath, script];
  throw new RecorderError(`${place} holds no Claude Code that is known here; remove it to download it again`);
}

/** Returns the platform's package if the version has one, or else the package itself. */
async function packageOf(version: string): Promise<string> {
  const found = await npmView(`${PACKAGE}@${version}`, ['version', 'optionalDependencies']);
  if (found === null) throw new RecorderError(await unknownVersion(version));
  const optional = (found as { optionalDependencies?: Record<string, string> }).optionalDependencies ?? {};
  const native = `${PACKAGE}-linux-${process.arch}`;
  return native in optional ? `${native}@${version}` : `${PACKAGE}@${version}`;
}

async function unknownVersion(version: string): Promise<string> {
  const versions = (await npmView(PACKAGE, ['versions'])) as string[] | null;
  if (versions === null) return `npm knows no ${PACKAGE} at all`;
  const order = (text: string): number =>
    text.split('.').reduce((sum, part) => sum * 10_000 + (Number.parseInt(part, 10) || 0), 0);
  const near = [...versions]
    .sort((a, b) => Math.abs(order(a) - order(version)) - Math.abs(order(b) - order(version)))
    .slice(0, NEIGHBOURS)
    .sort((a, b) => order(a) - order(b));
  return `there is no Claude Code ${version} on npm; near it are ${near.join(', ')}`;
}

async function npmView(what: string, fields: readonly string[]): Promise<unknown> {
  try {
    const { stdout } = await run('npm', ['view', what, ...fields, '--json'], {
      timeout: LOOK_UP_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim() === '' ? null : (JSON.parse(stdout) as unknown);
  } catch (error) {
    const said = String((error as { stdout?: string; stderr?: string }).stderr ?? error);
    if (/E404|ETARGET|No match found/.test(said)) return null;
    throw new RecorderError(`npm could not be asked for ${what}: ${said.trim().split('\n').at(-1)}`, { cause: error });
  }
}

/** Installs next to the final place first, so that an interrupted download leaves no half of a version. */
async function install(wanted: string, cacheDir: string, place: string): Promise<void> {
  mkdirSync(cacheDir, { recursive: true });
  const draft = mkdtempSync(join(cacheDir, '.new-'));
  try {
    await run(
      'npm',
      ['install', '--prefix', draft, '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional', wanted],
      { timeout: INSTALL_TIMEOUT_MS },
    );
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new RecorderError(`npm could not install ${wanted}: ${String(error)}`, { cause: error });
  }
}
