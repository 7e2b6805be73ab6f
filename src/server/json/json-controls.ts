/**
 * This directory contains what only JSON sessions need. `driver.ts` runs Claude Code for a session, `agent-run.ts`
 * represents a single process, and `event-log.ts` stores the session's events.
 *
 * - starting Claude Code in a trusted folder: `start-agent.ts`
 * - control requests while Claude Code is running: `control.ts`
 * - prompts: `deliver.ts`; what became of them: `confirm-prompts.ts`
 * - answers to questions: `answer.ts`; answers by approval rules: `reply-by-rule.ts`
 * - the cost of a turn: `turn-cost.ts`
 * - events in the search index: `index-events.ts`
 * - sessions that are missing from the database: `cards.ts`
 */

import type { RestorePlan } from '../../core/restore/plan.ts';
import { CONVERSATION_TYPES, conversationLines, type JsonEvidence } from '../../core/status/index.ts';
import type { PlannedConversation } from '../../platform/claude/index.ts';
import { type Buffer, CatalogueError, type Invoke, isAsking, settingKey } from '../../protocol/index.ts';
import { keepAnswer } from '../memory/keep-answer.ts';
import type { SessionActor } from '../session/actor.ts';
import type { SessionControls } from '../session/controls.ts';
import type { Conversation } from '../session/conversation.ts';
import { standingChoices } from '../session/open-question.ts';
import { pausedHint, stopQueue } from '../session/queue-stop.ts';
import { isMissing, requireConversation, sourceOf } from '../session/session-conversation.ts';
import { answerJsonQuestion } from './answer.ts';
import { followConfigDirectory } from './config-directory.ts';
import type { JsonContext } from './context.ts';
import { createJsonDeliverer, type JsonDeliverer } from './deliver.ts';
import { JsonDriver } from './driver.ts';
import { lastResponse } from './last-response.ts';
import { createJsonRuleReplies } from './reply-by-rule.ts';
import { requireStartable, untrusted } from './start-agent.ts';

/**
 * How long to wait for an interrupted turn to end. This usually takes 50 ms (2.1.329), and longer if a tool must be
 * killed.
 */
const INTERRUPT_MS = 10_000;
/** How long to wait for the end of a turn that began just before Claude Code read the interrupt. */
const NEXT_MS = 2_000;

/**
 * Creates the controls of a JSON session, in which Claude Code runs without a terminal. Such a session has structured
 * events instead of a screen, and needs no process while it is idle.
 */
export function createJsonControls(context: JsonContext, actor: SessionActor): SessionControls {
  const driver = new JsonDriver(context, actor);
  /** @throws CatalogueError no_such_conversation if the next process could not continue the conversation */
  const requireSaved = (): Promise<PlannedConversation> => requireConversation(actor.record, context.environment, '');
  const deliverer = createJsonDeliverer(actor, driver, requireSaved);
  const stops = [createJsonRuleReplies(actor, driver, context.approvals), followConfigDirectory(actor, driver)];

  /** Nothing is lost, because the next prompt starts a process again. */
  const notRestored = async (): Promise<RestorePlan> => ({ kind: 'left', because: actor.isDead() ? 'ended' : 'json' });

  const noTerminal = async (): Promise<never> => {
    throw new CatalogueError('no_terminal', `${actor.slug} is a JSON session, so it has no terminal`);
  };

  return {
    deliverer,
    conversation: createConversation(actor, driver, deliverer),
    launch: async () => {
      await context.requireUnshared(actor);
      requireStartable(context, actor.record);
      const { kind } = await requireSaved();
      actor.commit({ adopted: true, endedAt: null });
      actor.status.startAnew();
      await driver.settleTrust();
      return sourceOf(kind);
    },
    park: async () => {
      throw new CatalogueError('no_terminal', `${actor.slug} is a JSON session: its process ends automatically`, {
        hint: `The ${settingKey('json_idle_timeout')} setting is the number of idle seconds after which the process ends`,
      });
    },
    wake: async () => {
      if (actor.isDead()) throw new CatalogueError('session_dead', `${actor.slug} is stopped`);
    },
    settle: async () => undefined,
    planRestore: notRestored,
    restore: notRestored,
    findAgain: async () => {
      if (!actor.isDead()) await driver.findAgain();
      deliverer.settle();
    },
    end: async () => {
      if (actor.isDead()) throw new CatalogueError('session_dead', `${actor.slug} is stopped`);
      await driver.end();
      actor.intake.seeEnd();
    },
    release: async (how) => {
      await driver.rest(how);
      if (driver.isRunning()) throw new CatalogueError('already_running', `${actor.slug} has background tasks`);
    },
    rest: () =>
      driver.rest().catch((cause: unknown) => {
        if (!isMissing(cause)) throw cause;
      }),
    rename: async (slug) => actor.commit({ slug }),
    moved: async () => {
      if (!actor.isDead()) await driver.settleTrust();
    },
    answer: (request) =>
      actor.personAnswers.run(async () => {
        const question = await answerJsonQuestion({ actor, driver, deliverer }, request);
        await keepAnswer(context.approvals, actor, { question, given: request });
      }),
    standing: (id) => {
      const asked = driver.evidence.requests.find(({ requestId }) => requestId === id);
      return standingChoices(asked?.suggestions ?? []);
    },
    interrupt: () => interruptTurn(actor, driver),
    keys: noTerminal,
    resize: noTerminal,
    buffer: async ({ lines, format }) => bufferOf(actor, lines, format),
    recording: () => null,
    dispose: () => {
      for (const stop of stops) stop();
      deliverer.dispose();
      driver.dispose();
    },
  };
}

async function interruptTurn(actor: SessionActor, driver: JsonDriver): Promise<void> {
  const { primary, questions } = actor.status.memory();
  const isOnlyForms = questions.length > 0 && questions.every(({ kind }) => kind === 'form');
  if (isOnlyForms && driver.evidence.busySince === null) {
    // Agents in the background, or their servers, have left these forms open.
    for (const { id } of questions) await driver.answer(id, { action: 'cancel' });
    return;
  }
  if (primary !== 'active' && primary !== 'stuck' && !isOnlyForms) {
    const isAsking = questions.some(({ kind }) => kind !== 'closing');
    throw new CatalogueError(
      'nothing_running',
      isAsking ? `${actor.slug} is waiting for an answer; an interrupt would dismiss the question` : undefined,
      isAsking ? { hint: `\`cbos answer ${actor.slug} no\` refuses it` } : {},
    );
  }
  let endedAt = driver.evidence.turnEnd?.at ?? 0;
  stopQueue(actor);
  await driver.control({ subtype: 'interrupt' });
  const newEnd = (): JsonEvidence['turnEnd'] => {
    const { turnEnd } = driver.evidence;
    return turnEnd !== null && turnEnd.at > endedAt ? turnEnd : null;
  };
  const hasEnded = (): boolean => driver.evidence.busySince === null || newEnd() !== null;
  if (await actor.status.until(hasEnded, INTERRUPT_MS)) {
    for (let end = newEnd(); end?.interrupted === false; end = newEnd()) {
      endedAt = end.at;
      // Claude Code may read the interrupt only after the next prompt has begun a turn, and then ends that turn.
      const mayFollow = driver.evidence.busySince !== null;
      if (!mayFollow || !(await actor.status.until(() => newEnd() !== null, NEXT_MS))) throw endedOnItsOwn(actor);
    }
    return;
  }
  const hint = `\`cbos stop ${actor.slug}\` stops it, \`cbos restart ${actor.slug}\` continues its conversation`;
  throw new CatalogueError('not_confirmed', `Claude Code accepted the interrupt, but ${actor.slug} is still running`, {
    hint: [hint, ...pausedHint(actor)].join('; '),
  });
}

function endedOnItsOwn(actor: SessionActor): CatalogueError {
  const [hint] = pausedHint(actor);
  return new CatalogueError(
    'not_confirmed',
    `Claude Code accepted the interrupt, but the turn of ${actor.slug} ended on its own`,
    hint === undefined ? {} : { hint },
  );
}

function createConversation(actor: SessionActor, driver: JsonDriver, deliverer: JsonDeliverer): Conversation {
  const { events } = actor.deps;
  const { id } = actor.record;

  /**
   * Applies the options of a turn. A running process gets them as control requests; otherwise, the next process is
   * started with them.
   */
  async function apply({ permission_mode, model }: NonNullable<Invoke['options']>): Promise<void> {
    const { launch } = actor.record;
    if (driver.isRunning() && permission_mode !== undefined) {
      await driver.control({ subtype: 'set_permission_mode', mode: permission_mode });
    }
    if (driver.isRunning() && model !== undefined) await driver.control({ subtype: 'set_model', model });
    const changed = {
      ...(permission_mode === undefined ? {} : { permission_mode }),
      ...(model === undefined ? {} : { model }),
    };
    actor.update({ launch: { ...launch, ...changed } });
  }

  return {
    invoke: ({ prompt, options }) =>
      actor.mailbox.post(async () => {
        if (actor.isDead()) throw new CatalogueError('session_dead', `${actor.slug} is stopped`);
        if (!(await driver.settleTrust())) throw untrusted(actor);
        const { primary, detail, question } = actor.status.memory();
        if (driver.evidence.busySince !== null || isAsking({ primary, detail, question })) {
          throw new CatalogueError('already_running', `${actor.slug} is in the middle of a turn`, {
            ...(question === null ? {} : { extra: { question } }),
          });
        }
        if (options !== undefined) await apply(options);
        return { invocation_id: await deliverer.invoke(prompt) };
      }),
    events: ({ after, limit }) => {
      const found = events.read(id, after, limit + 1);
      const page = found.slice(0, limit);
      return { events: page, next: found.length > limit ? (page.at(-1)?.seq ?? null) : null };
    },
    lastResponse: (delivery) => lastResponse(actor, delivery),
  };
}

/** A JSON session has no screen, so the text of the conversation is returned instead. */
function bufferOf(actor: SessionActor, count: number, format: 'text' | 'ansi' | 'html'): Buffer {
  const { events } = actor.deps;
  const read = events.newest(actor.record.id, CONVERSATION_TYPES, count);
  const lines = read
    .flatMap(({ event }) => conversationLines(event))
    .slice(-count)
    .map((line) => (format === 'html' ? escapeHtml(line) : line));
  const { cols, rows } = actor.record.launch;
  const text = lines.join('\n');
  return { buffer: text, lines: lines.length, cols, rows, offset: read.at(-1)?.seq ?? 0 };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
