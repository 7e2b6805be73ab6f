import { dirname, join } from 'node:path';
import { askWords, denyWords, toolsToShow } from '../../core/approval/index.ts';
import { callReply, guardCalls, makeSpool } from '../../platform/claude/index.ts';
import { watchDirectory } from '../../platform/files/watch-directory.ts';
import { HOME_RULES, PROJECT_RULES } from '../../platform/rules/index.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';
import { placeOfRecord } from '../session/place.ts';
import type { Dispose } from '../sessions.ts';
import type { Approvals } from './approvals.ts';
import { askedIn } from './asked-input.ts';

/**
 * Decides for each tool call whether a rule denies it, before Claude Code decides whether to ask for permission. Hooks
 * show a call to CBOS only while some rule may cover the call's tool.
 */
export interface CallGuard {
  /** whether hooks show any calls to CBOS; if not, JSON sessions are started without the hook */
  isOn(): boolean;
  /** Reads the rules, and writes the list of calls that the hooks must show. Resolves once that list is in place. */
  refresh(): Promise<void>;
  /** Starts to watch the home's file of rules. */
  start(): Promise<Dispose>;
}

export interface CallGuardOptions {
  spoolDir: string;
  home: string;
  approvals: Pick<Approvals, 'book'>;
  log: Pick<Logger, 'error'>;
  /** called when the rules or the states of their files have changed */
  onChange(): void;
}

export function createCallGuard({ spoolDir, home, approvals, log, onChange }: CallGuardOptions): CallGuard {
  let isOn = false;
  let running: Promise<void> | null = null;
  let isAgain = false;
  let known: string | null = null;
  /** the functions that stop watching the projects whose rules are trusted, by project folder */
  const projects = new Map<string, Dispose>();
  let isStarted = false;
  let isStopped = false;

  async function look(): Promise<void> {
    const { rules, files } = await approvals.book([]);
    // The home may have been removed while the rules were being read, and must not be created again.
    if (isStopped) return;
    const now = JSON.stringify([rules.map(({ rule }) => rule.id), files]);
    if (known !== null && known !== now) onChange();
    known = now;
    watchProjects(files.flatMap(({ folder }) => folder ?? []));
    const tools = toolsToShow(
      rules.map(({ rule }) => rule),
      files.some(({ state }) => state === 'broken'),
    );
    isOn = tools.length > 0;
    makeSpool(spoolDir);
    guardCalls(spoolDir, tools);
  }

  /**
   * Watches the rule files of trusted projects. The trusted version of a file applies whatever the file contains now,
   * but the list of rules shows that the file has changed.
   */
  function watchProjects(folders: readonly string[]): void {
    if (!isStarted) return;
    for (const [folder, stop] of projects) {
      if (folders.includes(folder)) continue;
      projects.delete(folder);
      stop();
    }
    for (const folder of folders) {
      if (projects.has(folder)) continue;
      const dir = dirname(join(folder, PROJECT_RULES));
      const stop = watchDirectory({ dir, onChange: (_, event) => void (event === 'begin' || refresh()) });
      projects.set(folder, stop);
    }
  }

  /** Runs one check at a time. A change during a check causes another check afterwards. */
  async function refresh(): Promise<void> {
    isAgain = true;
    running ??= (async () => {
      while (isAgain) {
        isAgain = false;
        await look().catch((cause: unknown) =>
          log.error(
            { err: cause },
            'hooks cannot find out which calls the rules may deny, so deny rules take effect only in dialogs',
          ),
        );
      }
      running = null;
    })();
    await running;
  }

  return {
    isOn: () => isOn,
    refresh,
    start: async () => {
      const stop = watchDirectory({
        dir: home,
        onChange: (name) => {
          if (name === null || name === HOME_RULES) void refresh();
        },
      });
      isStarted = true;
      await refresh();
      return () => {
        isStarted = false;
        isStopped = true;
        stop();
        for (const stopOne of projects.values()) stopOne();
        projects.clear();
      };
    },
  };
}

/**
 * Answers the hook that shows a call. A denial is stored before it is given, and is given only once. If anything fails,
 * a person is asked.
 */
export async function answerCall(actor: SessionActor, approvals: Approvals, wait: string): Promise<void> {
  const { waits, log } = actor.deps;
  const { record, recording } = actor;
  try {
    const asked = askedIn(await waits.asked(wait));
    if (asked === null) return;
    const found = await approvals.verdictBefore(
      { id: record.id, name: record.slug, path: placeOfRecord(record) },
      asked,
    );
    if (found === null) {
      await waits.reply(wait, {});
      return;
    }
    const { decision, reason, rules } = found;
    if (decision !== 'deny') {
      await waits.reply(wait, callReply('ask', askWords(reason, rules)));
      return;
    }
    const row = approvals.record({
      ...{ sessionId: record.id, session: record.slug, asked: wait, decision, rules },
      ...{ tool: asked.tool, input: asked.input, seq: actor.deps.events.state(record.id)?.lastSeq ?? null },
      place: recording === null ? null : { epoch: recording.epoch(), offset: recording.end() },
    });
    const isGiven = await waits.reply(wait, callReply('deny', denyWords(rules)));
    log.info({ slug: record.slug, tool: asked.tool, rules: rules.map(({ id }) => id) }, 'a rule has denied a call');
    if (row !== null) approvals.conclude(row, isGiven ? 'given' : 'overtaken');
  } catch (cause) {
    log.warn({ slug: actor.slug, err: cause }, 'the approval rules failed; a person must decide about the call');
    await waits
      .leave(wait)
      .catch((error: unknown) => log.warn({ err: error }, 'a hook could not be told to open a dialog'));
  }
}
