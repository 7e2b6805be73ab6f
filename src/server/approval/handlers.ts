import { recordingAt } from '../../core/recording/index.ts';
import type { ALWAYS_ROUTES, KeptRecording, RULE_ROUTES } from '../../protocol/index.ts';
import type { Handlers } from '../handlers.ts';
import type { AlwaysAnswers } from './always-answers.ts';
import type { Rules } from './rules.ts';

/** @param olderRecordings returns the older recordings under a name, which a restart has moved aside */
export function createRuleHandlers(
  rules: Rules,
  olderRecordings: (slug: string) => Promise<KeptRecording[]>,
): Pick<Handlers, keyof typeof RULE_ROUTES> {
  return {
    listRules: ({ query }) => rules.list(query.folder),
    addRule: ({ body }) => rules.add(body),
    removeRule: ({ params }) => rules.remove(params.id),
    suggestRules: () => rules.suggest(),
    testRules: ({ body }) => rules.test(body),
    trustRules: ({ body }) => rules.trust(body),
    untrustRules: ({ body }) => rules.untrust(body.path),
    audit: ({ query }) => rules.audit(query),
    auditRecord: async ({ params }) => {
      const entry = rules.decision(params.id);
      const { listed, session, offset } = entry;
      if (listed === null || offset === null) return { ...entry, recording: null };
      // Older recordings keep their old name when a session is renamed.
      const kept = await Promise.all([...new Set([listed, session])].map(olderRecordings));
      return { ...entry, recording: recordingAt(kept.flat(), Date.parse(entry.at))?.recording ?? listed };
    },
  };
}

export function createAlwaysHandlers(always: AlwaysAnswers): Pick<Handlers, keyof typeof ALWAYS_ROUTES> {
  return {
    alwaysChoices: ({ params, query }) => always.choices(params.slug, query.question_id),
    allowByRule: ({ params, body }) => always.allow(params.slug, body),
  };
}
