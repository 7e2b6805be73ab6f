import type { Question, QuestionAsker } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** Returns who asks a question, such as `agent general-purpose`, or an empty string if the session itself asks. */
export function askerText({ asker }: Pick<Question, 'asker'>): string {
  switch (asker?.kind) {
    case 'agent':
      return cleanLine(['agent', asker.name, asker.about && `(${asker.about})`].filter(Boolean).join(' '));
    case 'mcp_server':
      return cleanLine(`MCP server ${asker.name ?? ''}`.trimEnd());
    default:
      return '';
  }
}

/** Returns a note that an older question must be answered first, or an empty string if none must. */
export function behindText({ behind }: Pick<Question, 'behind'>): string {
  return behind === true ? 'Claude Code shows the dialog of the older question first' : '';
}

/** Reports whether a name that a user gave means this asker: its id, its name, its task, or `session`. */
export function isAskerNamed(asker: QuestionAsker | undefined, named: string): boolean {
  if (asker === undefined || asker.kind === 'session') return named === 'session';
  return [asker.id, asker.name, asker.about].includes(named);
}
