import type { Answer, Form } from '../protocol/index.ts';
import { UsageError } from './command-error.ts';

/**
 * Reports whether only the form can tell where the name of a field ends in one of these `FIELD=VALUE`: the name may
 * contain `=` as well.
 */
export const needsForm = (set: readonly string[]): boolean => set.some((one) => one.split('=').length > 2);

/**
 * Reads what `--set` was given. The name of a field ends before the first `=`, unless the form has a field with a
 * longer name that fits. A field that is set more than once takes several choices.
 * @param form null if no text needs it, or if the question is no form
 */
export function readValues(set: readonly string[], form: Form | null): NonNullable<Answer['values']> {
  const values = new Map<string, string[]>();
  for (const one of set) {
    if (one.indexOf('=') < 1) {
      throw new UsageError(`--set ${one} has no value`, 'cbos answer AUTH --set FIELD=VALUE');
    }
    const name = longestName(one, form) ?? one.slice(0, one.indexOf('='));
    values.set(name, [...(values.get(name) ?? []), one.slice(name.length + 1)]);
  }
  return Object.fromEntries([...values].map(([name, given]) => [name, given.length === 1 ? given[0] : given]));
}

function longestName(text: string, form: Form | null): string | undefined {
  const names = (form?.fields ?? []).map(({ name }) => name).filter((name) => text.startsWith(`${name}=`));
  return names.sort((one, other) => other.length - one.length)[0];
}
