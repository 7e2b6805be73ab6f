import { CatalogueError } from '../../protocol/index.ts';
import { noticeRefusal } from '../connection/fleet.ts';

/** The outcome of an action for one of several sessions. */
export interface Outcome {
  slug: string;
  isGood: boolean;
  text: string;
}

/**
 * Runs an action for all sessions in parallel. If the action fails for one session, the others are not affected.
 * @param run runs the action for one session, and returns the outcome in a word or two
 */
export function doWithEach(slugs: readonly string[], run: (slug: string) => Promise<string>): Promise<Outcome[]> {
  return Promise.all(
    slugs.map(async (slug) => {
      try {
        return { slug, isGood: true, text: await run(slug) };
      } catch (error) {
        noticeRefusal(error);
        return { slug, isGood: false, text: errorText(error) };
      }
    }),
  );
}

function errorText(error: unknown): string {
  if (error instanceof CatalogueError) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}

export function Outcomes({ outcomes }: { outcomes: readonly Outcome[] }) {
  return (
    <ul class="plain outcomes" aria-label="Results">
      {outcomes.map(({ slug, isGood, text }) => (
        <li key={slug} class={isGood ? '' : 'bad'}>
          <strong>{slug}</strong> {text}
        </li>
      ))}
    </ul>
  );
}
