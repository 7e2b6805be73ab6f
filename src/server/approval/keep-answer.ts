import { saidTo } from '../../core/answer/said.ts';
import { SHELL_TOOL } from '../../core/approval/index.ts';
import { followLinks } from '../../platform/rules/index.ts';
import type { Answer, Question } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';

/**
 * Records a person's answer to a command, for suggestions. The answer has already been accepted, so a failure here only
 * loses evidence.
 * @param question the question that was answered; null for anything else
 */
export async function keepAnswer(
  { deps, record }: SessionActor,
  question: Question | null,
  answer: Answer,
): Promise<void> {
  const { tool, cut } = question ?? {};
  const { path, slug } = record;
  if (question === null || tool?.name !== SHELL_TOOL || cut === true || path === null) return;
  const said = saidTo(question, answer);
  if (said === null) return;
  const { input } = tool;
  const folder = (await followLinks(path)) ?? path;
  deps.writes.write(() => deps.approvals.keepAnswer({ session: slug, folder, input, said }));
}
