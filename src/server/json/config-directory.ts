import { configDirectoryOfProcess } from '../../platform/claude/index.ts';
import { findClaudeBelow } from '../../platform/gnu-screen/index.ts';
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
    // A wrapper that does not `exec` is the parent of Claude Code, and may have cleared its environment.
    void findClaudeBelow(agent)
      .then((claude) => {
        const configDir = claude === null ? null : configDirectoryOfProcess(claude.pid);
        if (configDir !== null) actor.intake.seeReport({ configDir });
      })
      .catch((err: unknown) => actor.deps.log.error({ slug: actor.slug, err }, 'the processes could not be read'));
  });
}
