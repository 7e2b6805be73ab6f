import { type AlwaysChoices, CatalogueError } from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/**
 * Returns what "always" can mean for an open question.
 * @param id the question that is meant; if omitted, the oldest open one
 * @throws CatalogueError stale_question, also if the server is older and knows the choices only of the oldest question
 */
export async function alwaysChoicesOf(client: Caller, slug: string, id?: string): Promise<AlwaysChoices> {
  const query = id === undefined ? {} : { question_id: id };
  const choices = await client.call('alwaysChoices', { params: { slug }, query });
  if (id === undefined || choices.question_id === id) return choices;
  throw new CatalogueError(
    'stale_question',
    `The server is an older version, which knows only for the oldest question of ${slug} how far "always" reaches`,
    { hint: 'cbos down && cbos up' },
  );
}
