import { neverMatches, neverWords, readRule } from '../../core/approval/index.ts';
import { type RuleForCall, ruleForCall } from '../../core/approval/rule-for-call.ts';
import { followLinks } from '../../platform/rules/index.ts';
import {
  type AllowByRule,
  type AllowedByRule,
  type AlwaysChoices,
  type Answer,
  CatalogueError,
  openQuestions,
  placeOf,
  type Question,
  type Session,
  type StandingChoices,
} from '../../protocol/index.ts';
import { questionBehind } from '../session/open-question.ts';
import type { AskedInput } from './approvals.ts';
import type { Rules } from './rules.ts';

/**
 * Handles requests about "always" for an open permission request: what "always" could mean, and the yes that adds a
 * rule.
 */
export interface AlwaysAnswers {
  /**
   * @param id any id under which the question that is meant was shown; if omitted, the oldest open one
   * @throws CatalogueError no_such_session, no_question, stale_question, question_behind
   */
  choices(slug: string, id?: string): Promise<AlwaysChoices>;
  /**
   * @throws CatalogueError no_such_session, no_question, stale_question, question_behind, invalid_rule, and what an
   * answer throws
   */
  allow(slug: string, request: AllowByRule): Promise<AllowedByRule>;
}

export interface AlwaysOptions {
  sessions: {
    get(slug: string): Session;
    questionId(slug: string, id: string): string;
    standing(slug: string, questionId: string): StandingChoices;
    answer(slug: string, request: Answer): Promise<void>;
  };
  rules: Pick<Rules, 'add' | 'remove' | 'tryRule'>;
}

type Proposed = { toml: string; fields: RuleForCall } | { why: string };

export function createAlwaysAnswers({ sessions, rules }: AlwaysOptions): AlwaysAnswers {
  function permissionOf(slug: string, id?: string): Question {
    const questions = openQuestions(sessions.get(slug).status);
    const meant = id === undefined ? questions[0]?.id : sessions.questionId(slug, id);
    const question = questions.find((one) => one.id === meant);
    if (question === undefined && questions.length > 0) throw new CatalogueError('stale_question');
    if (question?.kind !== 'permission')
      throw new CatalogueError('no_question', `${slug} has no open permission request`);
    if (question.behind === true) throw questionBehind(slug, { first: questions[0], question });
    return question;
  }

  async function propose(slug: string, { tool, cut }: Question): Promise<Proposed> {
    const path = placeOf(sessions.get(slug));
    const folder = path === null ? null : await followLinks(path);
    if (tool === null || cut === true || folder === null) return { why: 'CBOS does not have the complete call' };
    const fields = ruleForCall({ tool: tool.name, input: tool.input }, folder);
    if ('why' in fields) return fields;
    const rule = readRule({ effect: 'allow', fields, id: 'proposed', folder: null });
    if ('problem' in rule) return { why: rule.problem };
    const never = neverMatches(rule);
    if (never !== null) return { why: neverWords(rule, never) };
    // The code that will decide about the next call also checks whether the rule would have any effect, so both always
    // agree.
    const asked: AskedInput = { tool: tool.name, input: tool.input, isWhole: true, cwd: null };
    const { decision } = await rules.tryRule(slug, asked, rule);
    if (decision !== 'allow')
      return { why: 'CBOS always asks about such a call, or another rule asks about it or denies it' };
    // This module is loaded on demand, because few people add rules.
    const { stringify } = await import('smol-toml');
    return { toml: `[[allow]]\n${stringify(fields)}`, fields };
  }

  return {
    choices: async (slug, id) => {
      const question = permissionOf(slug, id);
      const { session, project } = sessions.standing(slug, question.id);
      const found = await propose(slug, question);
      const isRule = 'toml' in found;
      return {
        ...{ question_id: question.id, session, project },
        ...{ rule: isRule ? found.toml : null, no_rule: isRule ? null : found.why },
      };
    },
    allow: async (slug, { question_id: id, rule: shown }) => {
      const found = await propose(slug, permissionOf(slug, id));
      permissionOf(slug, id);
      if (!('toml' in found) || found.toml !== shown) {
        throw new CatalogueError(
          'invalid_rule',
          'This rule differs from the one that CBOS showed for the question; nothing was saved',
        );
      }
      const rule = await rules.add({ effect: 'allow', ...found.fields });
      try {
        await sessions.answer(slug, { choice: 'yes', question_id: id });
      } catch (cause) {
        // The answer failed, so nothing has been allowed, and the rule is removed again.
        await rules.remove(rule.id);
        throw cause;
      }
      return { status: 'answered', rule };
    },
  };
}
