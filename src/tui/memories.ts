import type { Client } from '../client/index.ts';
import {
  CatalogueError,
  elsewhereOf,
  type Question,
  type QuestionMemory,
  type SeenSession,
} from '../protocol/index.ts';

/** The user's earlier answers to the questions that are shown. */
export interface Memories {
  /** Returns null until the answers are known, or if they cannot be determined. The first call requests them. */
  of(session: Pick<SeenSession, 'slug'> | null, question: Question | null): QuestionMemory | null;
}

/** How many questions' answers are cached. The answers to older questions are requested again when needed. */
const MOST_KEPT = 50;

export function createMemories(options: {
  client: Client;
  run(work: () => Promise<void>): void;
  onChange(): void;
}): Memories {
  const { client, run, onChange } = options;
  const known = new Map<string, QuestionMemory | null>();
  return {
    of: (session, question) => {
      if (session === null || question === null || !mayBeKnown(session, question)) return null;
      const { slug } = session;
      // The suggestion depends on the options, which Claude Code may draw later than the question itself.
      const key = `${slug} ${question.id} ${question.options.length}`;
      const memory = known.get(key);
      if (memory !== undefined) return memory;
      known.set(key, null);
      const [oldest] = known.keys();
      if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest);
      run(async () => {
        try {
          const found = await client.call('questionMemory', { params: { slug }, query: { question_id: question.id } });
          // Another question may be open by now, and these answers must not appear below it.
          if (found.question_id === question.id && found.answers.length > 0) known.set(key, found);
        } catch (error) {
          // Either the question or the server is gone. The user does not need to know, because earlier answers are
          // optional.
          if (!(error instanceof CatalogueError)) throw error;
        }
        onChange();
      });
      return null;
    },
  };
}

/** Earlier answers for a session on another machine are stored on that machine. */
function mayBeKnown(session: object, { kind, tool, cut }: Question): boolean {
  return (
    elsewhereOf(session) === null && tool !== null && cut !== true && (kind === 'permission' || kind === 'question')
  );
}
