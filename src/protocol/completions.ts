import { z } from 'zod';

/** The maximum length of a path, which is what Linux accepts (PATH_MAX). */
const MAX_WORD = 4096;

/** The word that the user is typing, including its first character, such as `/re` or `@src/ma`. */
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
