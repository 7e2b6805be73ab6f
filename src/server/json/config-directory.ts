import { configDirectoryOfProcess, LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import { findMarked } from '../../platform/process/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';
import type { JsonDriver } from './driver.ts';

/**
 * Finds out, once for each process, in which configuration directory a JSON session's Claude Code works. A wrapper may
 * have chosen it, and no event names it. Without it, nobody would find the conversation again.
 */
export function followConfigDirectory(actor: SessionActor, driver: Pick<JsonDriver, 'onEvent'>): Dispose {
  let lookedAt: string | null = null;
  return driver.onEvent(({ type }) => {
    const { launchId, agent } = actor.record;
    if (type !== 'assistant' || agent === null || launchId === null || launchId === lookedAt) return;
    lookedAt = launchId;
    void findMarked({ name: LAUNCH_VARIABLE, value: launchId })
      .then((marked) => {
        // A wrapper that does not `exec` is the parent of Claude Code.
        const pids = [...marked.filter(({ ppid }) => ppid === agent.pid).map(({ pid }) => pid), agent.pid];
        const found = pids.map(configDirectoryOfProcess).find((dir) => dir !== null);
        if (found !== undefined && found !== null) actor.intake.seeReport({ configDir: found });
      })
      .catch((err: unknown) => actor.deps.log.error({ slug: actor.slug, err }, 'the processes could not be read'));
  });
}
