import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Compared, compareSession } from '../../client/compare.ts';
import type { Session } from '../../protocol/index.ts';
import { COMPARED_ROWS } from '../../text/compare-words.ts';
import { isFinishable } from '../../text/worktree-words.ts';
import { client, link, sessions } from '../connection/fleet.ts';
import { overlay } from '../navigation/overlay.ts';
import { addressOf, goTo } from '../navigation/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';

/**
 * Shows side by side what several sessions with the same task have done. To keep the work of one session, the user
 * finishes its worktree.
 */
export function ComparePage({ slugs }: { slugs: readonly string[] }) {
  const compared = useSignal<readonly Compared[]>([]);
  const isBusy = useSignal(false);
  const isLive = link.value === 'live';
  const load = async (): Promise<void> => {
    isBusy.value = true;
    const found: Compared[] = [];
    try {
      for (const slug of slugs) {
        const session = sessions.peek().get(slug);
        if (session !== undefined) found.push(await compareSession(client, session));
        compared.value = [...found];
      }
    } catch (error) {
      tellError(error);
    }
    isBusy.value = false;
  };
  useEffect(() => {
    if (isLive) void load();
  }, [isLive, slugs.join(' ')]);
  return (
    <>
      <PageHead title="Compare">
        <button type="button" class="button" disabled={!isLive || isBusy.value} onClick={() => void load()}>
          Refresh
        </button>
      </PageHead>
      <div class="page stack">
        <Choice slugs={slugs} />
        {slugs.length < 2 && <p>Choose at least two sessions.</p>}
        {slugs.length >= 2 && (
          <div class="compared">
            <table class="resources">
              <thead>
                <tr>
                  <td />
                  {compared.value.map(({ session: { slug } }) => (
                    <th key={slug} scope="col">
                      <a href={addressOf({ page: 'session', slug })}>{slug}</a>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {COMPARED_ROWS.map(({ title, text }) => (
                  <tr key={title}>
                    <th scope="row">{title}</th>
                    {compared.value.map((one) => (
                      <td key={one.session.slug}>{text(one)}</td>
                    ))}
                  </tr>
                ))}
                <tr>
                  <th scope="row">
                    <span class="hidden-text">Actions</span>
                  </th>
                  {compared.value.map(({ session }) => (
                    <td key={session.slug}>
                      <Actions session={sessions.value.get(session.slug) ?? session} />
                    </td>
                  ))}
                </tr>
              </tbody>
            </table>
          </div>
        )}
        <p class="faint">
          To keep one, finish it with <em>Merge</em> and the others with <em>Discard</em>. Everything discarded is
          saved.
        </p>
      </div>
    </>
  );
}

function Actions({ session }: { session: Session }) {
  const { slug } = session;
  return (
    <div class="row">
      <a class="button" href={addressOf({ page: 'changes', slug, file: null })}>
        Changes
      </a>
      {isFinishable(session) && (
        <button
          type="button"
          class="button"
          onClick={() => {
            overlay.value = { about: 'finish', slug };
          }}
        >
          Finish {slug}…
        </button>
      )}
    </div>
  );
}

/** Offers other sessions of the same repositories, because only those can have the same task. */
function Choice({ slugs }: { slugs: readonly string[] }) {
  const all = [...sessions.value.values()];
  const repositories = new Set(all.flatMap(({ slug, repository }) => (slugs.includes(slug) ? (repository ?? []) : [])));
  const isOffered = ({ slug, repository }: Session): boolean =>
    slugs.includes(slug) || (repository !== null && repositories.has(repository));
  const choose = (slug: string, isChosen: boolean): void =>
    goTo({ page: 'compare', slugs: isChosen ? [...slugs, slug] : slugs.filter((one) => one !== slug) });
  return (
    <fieldset class="row">
      <legend class="label">Sessions</legend>
      {all.filter(isOffered).map(({ slug }) => (
        <label key={slug} class="row">
          <input
            type="checkbox"
            checked={slugs.includes(slug)}
            onChange={({ currentTarget }) => choose(slug, currentTarget.checked)}
          />
          <span>{slug}</span>
        </label>
      ))}
    </fieldset>
  );
}
