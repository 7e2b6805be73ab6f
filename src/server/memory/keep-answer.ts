import { aboutOf, remember } from '../../core/memory/index.ts';
import { followLinks } from '../../platform/rules/index.ts';
import type { Answer, Question } from '../../protocol/index.ts';
import type { Approvals } from '../approval/approvals.ts';
import type { SessionActor } from '../session/actor.ts';
import { placeOfRecord } from '../session/place.ts';
import { projectOf } from './project-of.ts';

/**
 * Stores a person's answer, so that CBOS can show and suggest it when a similar question is asked later. The answer has
 * already been given to Claude Code, so a failure here only means that it is not remembered. Answers given by rules are
 * not stored.
 * @param answered the answer, and the question that was answered; null if no question was open
 */
export async function keepAnswer(
  approvals: Pick<Approvals, 'keepAnswer'>,
  { deps, record }: SessionActor,
  { question, given }: { question: Question | null; given: Answer },
): Promise<void> {
  const { slug } = record;
  const path = placeOfRecord(record);
  const tool = question?.tool ?? null;
  if (question === null || tool === null || path === null) return;
  const answer = remember(question, given);
  if (answer === null) return;
  const folder = (await followLinks(path)) ?? path;
  const kept = { session: slug, folder, project: await projectOf(folder), tool, about: aboutOf(question), answer };
  deps.writes.write(() => approvals.keepAnswer(kept));
}
