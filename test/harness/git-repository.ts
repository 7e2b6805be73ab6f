import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { World } from './world.ts';

/** A real repository in its own world. */
export interface TestRepository {
  dir: string;
  git(...words: string[]): string;
  /** writes a file, creating its folders */
  write(name: string, text: string | Uint8Array): void;
  /** commits all files */
  commit(message?: string): string;
}

export function createRepository(world: World, name = 'repository', init: readonly string[] = []): TestRepository {
  const dir = join(world.dir, name);
  mkdirSync(dir, { recursive: true });
  const git = (...words: string[]): string =>
    execFileSync(
      'git',
      ['-c', 'user.name=A', '-c', 'user.email=a@example', '-c', 'protocol.file.allow=always', ...words],
      {
        cwd: dir,
        env: { ...world.env, GIT_CONFIG_GLOBAL: '/dev/null' },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
  git('init', '--quiet', '--initial-branch', 'main', ...init);
  return {
    dir,
    git,
    write(path, text) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    commit(message = 'x') {
      git('add', '--all');
      git('commit', '--quiet', '--message', message);
      return git('rev-parse', 'HEAD').trim();
    },
  };
}
