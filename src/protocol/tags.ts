/** The maximum length of a tag. Headings and rows never shorten a tag. */
export const MAX_TAG = 40;
/** The maximum number of tags on a session. */
export const MOST_TAGS = 20;
export const TAG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export const TAG_RULE = `a tag is 1 to ${MAX_TAG} letters, digits, '.', '-' and '_', and starts with a letter or digit`;

export function isTag(word: string): boolean {
  return word.length <= MAX_TAG && TAG_PATTERN.test(word);
}

/** Returns the labels of a session that has no tags and no known repository. */
export function withoutLabels(): { tags: string[]; repository: null; archived_at: null } {
  return { tags: [], repository: null, archived_at: null };
}
