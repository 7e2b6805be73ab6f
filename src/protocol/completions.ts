import { z } from 'zod';

/** Longer than any path that Linux accepts (PATH_MAX). */
const MAX_WORD = 4096;

/** `/re` or `@src/ma`: the word that is being typed, including the sign at its beginning. */
export const CompletionsQuery = z.strictObject({ word: z.string().min(1).max(MAX_WORD) });

export const Completion = z
  .object({
    text: z.string().meta({ description: 'The completed word, including its `/` or `@`' }),
    about: z.string().nullable().meta({ description: 'For a command: its description' }),
  })
  .meta({ id: 'Completion' });
export type Completion = z.infer<typeof Completion>;

export const Completions = z
  .object({ items: z.array(Completion).meta({ description: 'The best first, at most 50' }) })
  .meta({ id: 'Completions' });
