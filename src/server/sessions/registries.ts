import { type RegistryRecord, watchRegistry } from '../../platform/claude/index.ts';
import type { Dispose } from '../sessions.ts';

/** How many registries are watched at most. A user has a few accounts, but processes may claim any number. */
const MOST_WATCHED = 32;

export interface RegistriesOptions {
  onRecord(record: RegistryRecord): void;
  onGone(pid: number): void;
  onError(error: unknown): void;
}

/** The registries of all accounts in which sessions work. Each configuration directory has one of its own. */
export interface Registries {
  /** Begins to watch a registry, unless it is watched already. Resolves once its records have been reported. */
  follow(dir: string): Promise<void>;
  dispose(): void;
}

export function createRegistries(options: RegistriesOptions): Registries {
  const watched = new Map<string, { ready: Promise<void>; stop: Dispose }>();
  return {
    follow: async (dir) => {
      if (!watched.has(dir) && watched.size < MOST_WATCHED) watched.set(dir, watchRegistry({ dir, ...options }));
      await watched.get(dir)?.ready;
    },
    dispose: () => {
      for (const { stop } of watched.values()) stop();
      watched.clear();
    },
  };
}
