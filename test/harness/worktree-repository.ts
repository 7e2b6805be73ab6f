import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { World } from './world.ts';

/**
 * A real repository in a world, used as a person would use it: git also runs everything that it normally runs
 * automatically.
 */
export interface WorktreeRepository {
  path: string;
  /** the argument for the functions in `src/platform/git` */
  place: { cwd: string; environment: Record<string, string> };
  git(...args: string[]): string;
  /** runs git in another checkout of the repository */
  gitIn(path: string, ...args: string[]): string;
  write(path: string, text: string | Buffer): void;
  commit(message: string, files?: Readonly<Record<string, string>>): string;
}

export function createWorktreeRepository(world: World, name = 'repository'): WorktreeRepository {
  const path = world.project(name);
  const gitIn = (cwd: string, ...args: string[]): string =>
    execFileSync('git', args, {
      cwd,
      env: { ...world.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  const git = (...args: string[]): string => gitIn(path, ...args);
  const write = (file: string, text: string | Buffer): void => {
    const target = join(path, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.org');
  return {
    path,
    place: { cwd: path, environment: world.env },
    git,
    gitIn,
    write,
    commit: (message, files = {}) => {
      for (const [file, text] of Object.entries(files)) write(file, text);
      git('add', '--', ...Object.keys(files), '.');
      git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

/**
 * Returns, for every file below a folder, its mode and a hash of its bytes, leaving out git directories. Each byte of a
 * name becomes one character, because a name need not be UTF-8.
 */
export function hashFiles(folder: string): Record<string, string> {
  const hashes: Record<string, string> = {};
  const pathOf = (name: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
  const visit = (below: string): void => {
    for (const name of readdirSync(pathOf(below), { encoding: 'latin1' }).sort()) {
      if (name === '.git') continue;
      const path = join(below, name);
      const stats = lstatSync(pathOf(path));
      if (stats.isDirectory()) visit(path);
      else if (stats.isSymbolicLink()) hashes[path] = `link ${readlinkSync(pathOf(path), { encoding: 'latin1' })}`;
      else if (stats.isFile()) {
        const hash = createHash('sha256')
          .update(readFileSync(pathOf(path)))
          .digest('hex');
        const mode = (stats.mode & 0o111) === 0 ? '644' : '755';
        hashes[path] = `${(stats.mode & 0o044) === 0 ? 'owner only' : mode} ${hash}`;
      }
    }
  };
  visit('');
  return hashes;
}
