import { isTag, type Session, TAG_RULE, type TagEdit } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** The tag changes that typed words request, or what is wrong with the words. */
export type TypedTags = { edit: TagEdit; problem: null } | { edit: null; problem: string };

/**
 * Parses words such as `night -old`. Words with a leading dash are removed, and the others are added. `#night` means
 * the tag `night`.
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

/** Returns a session's tags as a row shows them. The result is empty if it has none. */
export function tagsText({ tags }: Partial<Pick<Session, 'tags'>>): string {
  return (tags ?? []).map((tag) => `#${cleanLine(tag)}`).join(' ');
}
