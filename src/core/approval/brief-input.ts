/** How many characters of each string are shown in a list. */
const MOST_CHARACTERS = 300;

/**
 * Returns a call's input, shortened for display in a list. Long strings are truncated, and other long values are
 * omitted.
 * @returns `isCut` if the result lacks any part of the input
 */
export function briefInput(input: unknown): { input: unknown; isCut: boolean } {
  let isCut = false;
  const brief = (value: unknown): unknown => {
    if (typeof value === 'string' && value.length > MOST_CHARACTERS) {
      isCut = true;
      return `${value.slice(0, MOST_CHARACTERS)}…`;
    }
    if (typeof value !== 'object' || value === null || JSON.stringify(value).length <= MOST_CHARACTERS) return value;
    isCut = true;
    return '…';
  };
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { input: brief(input), isCut };
  const fields = Object.entries(input).map(([name, value]) => [name, brief(value)] as const);
  return { input: Object.fromEntries(fields), isCut };
}
