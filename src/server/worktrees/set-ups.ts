/**
 * The set-ups of worktrees. A set-up is the command that a repository names to prepare its new worktrees.
 *
 * - which set-up is named and trusted: this file; requests from the faces: `worktrees.ts`
 * - equipping a new worktree: `equip-worktree.ts`; a set-up that must run before a launch: `begin-set-up.ts`
 * - running the command: `src/platform/claude/set-up.ts`
 */

import { join } from 'node:path';
import { type NamedSetUp, readProjectSetUp } from '../../core/worktrees/index.ts';
import { followLinks, type RuleText, readRuleFile } from '../../platform/rules/index.ts';
import { readRepositorySettings } from '../../platform/settings/index.ts';
import type { SetUpStore } from '../../platform/sqlite/set-up-store.ts';
import { CatalogueError, type ProjectSetUp, type RepositoryWorktrees, type SetUp } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';

/** The path, in a repository's main checkout, of the file with which a repository names its set-up. */
export const PROJECT_SET_UP = '.cbos/worktree.toml';

/**
 * What names the set-up of a repository's worktrees: the repository's own file, and the user's settings. @see {@link
 * RepositoryWorktrees}
 */
type Named = Pick<RepositoryWorktrees, 'set_up' | 'own'>;

export interface SetUps {
  /**
   * Returns the set-up for a worktree, ready to run or untrusted; null if nothing names one.
   * @param repository the main checkout
   * @throws CatalogueError invalid_setting
   */
  plan(repository: string): Promise<SetUp | null>;
  /** @throws CatalogueError invalid_setting */
  named(repository: string): Promise<Named>;
  /** @throws CatalogueError no_such_path, invalid_set_up, set_up_changed */
  trust(repository: string, sha256: string): Promise<ProjectSetUp>;
  /** @throws CatalogueError no_such_path */
  untrust(repository: string): Promise<void>;
}

export interface SetUpsOptions {
  home: string;
  userHome: string;
  store: SetUpStore;
  clock: Pick<Clock, 'now'>;
}

export function createSetUps({ home, userHome, store, clock }: SetUpsOptions): SetUps {
  async function ownSettings(folder: string): Promise<NamedSetUp | null> {
    for (const one of await readRepositorySettings(home, userHome)) {
      if ((await followLinks(one.path)) === folder) return one;
    }
    return null;
  }

  /** Reads a repository's own file. Only the version that the user has trusted counts. */
  async function readProject(folder: string): Promise<ProjectSetUp | null> {
    const path = join(folder, PROJECT_SET_UP);
    const text = await readRuleFile(path);
    if (text === null) return null;
    const trusted = store.trusted(folder);
    const read = readText(text);
    const shown = { path, content: text.content, sha256: text.sha256 };
    if ('problem' in read) {
      return { ...shown, state: 'broken', error: read.problem, command: null, after_failure: null };
    }
    const state = trusted === null ? 'untrusted' : trusted.sha256 === text.sha256 ? 'trusted' : 'changed';
    return { ...shown, state, error: null, command: read.command, after_failure: read.afterFailure };
  }

  const folderOf = async (repository: string): Promise<string> => (await followLinks(repository)) ?? repository;

  return {
    plan: async (repository) => {
      const folder = await folderOf(repository);
      const own = await ownSettings(folder);
      const at = new Date(clock.now()).toISOString();
      const afterFailure = own?.afterFailure ?? null;
      if (own !== null && own.command !== null) {
        if (own.command === '') return null;
        const due = { state: 'pending', exit_code: null, after_failure: afterFailure ?? 'stop', at } as const;
        return { command: own.command, from: 'settings', ...due };
      }
      const project = await readProject(folder);
      if (project === null || project.command === null) return null;
      return {
        command: project.command,
        from: 'project',
        state: project.state === 'trusted' ? 'pending' : 'untrusted',
        exit_code: null,
        after_failure: afterFailure ?? project.after_failure ?? 'stop',
        at,
      };
    },
    named: async (repository) => {
      const folder = await folderOf(repository);
      const own = await ownSettings(folder);
      return {
        set_up: await readProject(folder),
        own: own === null || own.command === null ? null : { command: own.command, after_failure: own.afterFailure },
      };
    },
    trust: async (repository, sha256) => {
      const folder = await folderOf(repository);
      const project = await readProject(folder);
      if (project === null) throw new CatalogueError('no_such_path', `${repository} has no ${PROJECT_SET_UP}`);
      if (project.sha256 !== sha256) throw new CatalogueError('set_up_changed');
      if (project.error !== null || project.content === null || project.command === null) {
        throw new CatalogueError('invalid_set_up', `${project.path}: ${project.error ?? 'it does not define set_up'}`);
      }
      store.trust({ folder, sha256, content: project.content }, clock.now());
      return { ...project, state: 'trusted' };
    },
    untrust: async (repository) => {
      const folder = await folderOf(repository);
      if (!store.untrust(folder)) throw new CatalogueError('no_such_path', `No set-up of ${repository} is trusted`);
    },
  };
}

function readText({ values, error }: RuleText): NamedSetUp | { problem: string } {
  return values === null ? { problem: error ?? 'it cannot be read' } : readProjectSetUp(values);
}
