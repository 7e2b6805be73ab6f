import { isTag, type Session, TAG_RULE, type TagEdit } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** The changes to tags that the user's words request, or what is wrong with the words. */
export type TypedTags = { edit: TagEdit; problem: null } | { edit: null; problem: string };

/**
 * Parses words such as `night -old`. A word with a leading dash is a tag to remove, and any other word is a tag to add.
 * `#night` means the tag `night`.
 */
export function readTagWords(typed: string): TypedTags {
  const words = typed.split(/[\s,]+/).filter((word) => word !== '');
  const remove = words.flatMap((word) => (word.startsWith('-') ? [word.slice(1).replace(/^#/, '')] : []));
  const add = words.flatMap((word) => (word.startsWith('-') ? [] : [word.replace(/^[+#]/, '')]));
  const wrong = [...add, ...remove].find((word) => !isTag(word));
  if (wrong !== undefined) return { edit: null, problem: `${wrong} isn't a valid tag: ${TAG_RULE}` };
  return {
    edit: { ...(add.length === 0 ? {} : { add }), ...(remove.length === 0 ? {} : { remove }) },
    problem: null,
  };
}

/** Returns a session's tags, formatted for a row, or an empty string if the session has no tags. */
export function tagsText({ tags }: Partial<Pick<Session, 'tags'>>): string {
  return (tags ?? []).map((tag) => `#${cleanLine(tag)}`).join(' ');
}
