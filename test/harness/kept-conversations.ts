import { join } from 'node:path';
import { expect } from 'vitest';
import { findTranscript } from '../../src/platform/claude/index.ts';
import type { Session } from '../../src/protocol/index.ts';
import type { Cbos } from './cbos.ts';
import type { ClaudeWorld } from './claude.ts';

/** How long a launch may take on a busy machine, in a worktree for example. */
const LAUNCH_MS = 90_000;

/** Helpers for tests of what continues a session's conversation, and of what does not. */
export interface KeptConversations {
  /** launches a session, and runs a first turn that `remembers` recognizes */
  begin(slug: string, more?: object): Promise<void>;
  /** runs a turn, which is over when this resolves */
  ask(slug: string, text: string): Promise<void>;
  /** reports whether the model was told about the beginning of a session's conversation with the last prompt */
  remembers(slug: string): boolean;
  /** stops and restarts a session in a terminal */
  restart(slug: string): Promise<void>;
  untilQuiet(slug: string): Promise<Session>;
  /** returns the path of the transcript */
  transcriptOf(slug: string, configDir?: string): Promise<string>;
  /** deletes all sessions */
  clear(): Promise<void>;
}

/** @param server returns the current server, because a test may start another one */
export function keptConversations(world: ClaudeWorld, server: () => Cbos): KeptConversations {
  const ask = async (slug: string, text: string): Promise<void> => {
    const sent = await server().cli(['send', slug, text, '--wait']);
    expect([sent.code, sent.stderr]).toEqual([0, '']);
  };
  return {
    begin: async (slug, more = {}) => {
      const body = { slug, path: world.projectDir, type: 'screen', ...more };
      expect((await server().call('POST', '/sessions', body)).error).toBeNull();
      await ask(slug, `scene:hello remember ${slug}`);
    },
    ask,
    remembers: (slug) => {
      const last = world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null);
      return JSON.stringify(last).includes(`remember ${slug}`);
    },
    restart: async (slug) => {
      expect((await server().cli(['stop', slug])).code).toBe(0);
      const restarted = await server().cli(['restart', slug]);
      expect([restarted.stdout, restarted.stderr]).toEqual([`${slug} restarted; resuming its conversation\n`, '']);
      await server().until(slug, ({ status }) => status.primary === 'idle', 'is idle', LAUNCH_MS);
    },
    untilQuiet: (slug) => server().until(slug, ({ pid }) => pid === null, 'has no process'),
    transcriptOf: async (slug, configDir = join(world.home, '.claude')) => {
      const sessionId = (await server().session(slug)).claude_session_id ?? '';
      const found = await findTranscript({ sessionId, configDirs: [configDir], reported: null });
      if (found === null) throw new Error(`${slug} has no transcript`);
      return found;
    },
    clear: async () => {
      for (const { slug } of (await server().call<Session[]>('GET', '/sessions')).body)
        await server().call('DELETE', `/sessions/${slug}`);
    },
  };
}
