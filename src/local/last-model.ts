import { configDirectory, isConversationId, transcriptFile } from '../platform/claude/own-files.ts';
import { readTail } from '../platform/files/read-tail.ts';
import type { Session } from '../protocol/index.ts';

/** How much of a transcript's end is searched. A longer answer or tool result hides the model. */
const TAIL_BYTES = 65_536;

/**
 * Returns, by slug, which model gave the last answer in each terminal session, according to Claude Code's own
 * transcripts. The launch option may be out of date, because `/model` changes the model. Sessions from another home,
 * and those without an answer, are left out.
 */
export async function readLastModels(
  environment: Readonly<Record<string, string | undefined>>,
  sessions: readonly Session[],
): Promise<ReadonlyMap<string, string>> {
  const configDir = configDirectory(environment);
  const found = await Promise.all(
    sessions.map(async ({ slug, type, path: cwd, claude_session_id: sessionId }) => {
      if (type !== 'screen' || cwd === null || sessionId === null || !isConversationId(sessionId)) return null;
      // An unreadable transcript says nothing about the model.
      const tail = await readTail(transcriptFile({ configDir, cwd, sessionId }), TAIL_BYTES).catch(() => '');
      const model = tail
        .split('\n')
        .map(modelOf)
        .findLast((one) => one !== null);
      return model == null ? null : ([slug, model] as const);
    }),
  );
  return new Map(found.filter((one) => one !== null));
}

/** null for a line that is cut off, is not an answer, or is one of Claude Code's own messages (`<synthetic>`) */
function modelOf(line: string): string | null {
  if (!line.includes('"assistant"')) return null;
  try {
    const { type, message } = JSON.parse(line) as { type?: unknown; message?: { model?: unknown } | null };
    const model = type === 'assistant' ? message?.model : null;
    return typeof model === 'string' && !model.startsWith('<') ? model : null;
  } catch {
    return null;
  }
}
