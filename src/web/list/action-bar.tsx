import { DEED_NAMES, DEEDS, type Deed } from '../actions/deeds.ts';
import { sessions } from '../connection/fleet.ts';
import { overlay } from '../navigation/overlay.ts';
import { listed } from './arranged.ts';
import { setChoosing, ticked } from './chosen.ts';

/**
 * The actions for all ticked sessions that are visible in the list. Each action lists the sessions' names and asks for
 * confirmation.
 */
export function ActionBar({ slugs }: { slugs: readonly string[] }) {
  const isFor = (deed: Deed): boolean =>
    slugs.some((slug) => {
      const session = sessions.value.get(slug);
      return session !== undefined && deed.isFor(session);
    });
  return (
    <div class="action-bar" role="toolbar" aria-label="With the chosen sessions">
      <div class="row">
        <strong class="grow" role="status">
          {slugs.length} chosen
        </strong>
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            ticked.value = new Set(listed.peek());
          }}
        >
          All shown
        </button>
        <button type="button" class="button quiet" onClick={() => setChoosing(false)}>
          Done
        </button>
      </div>
      <div class="row wrap">
        <button
          type="button"
          class="button"
          disabled={slugs.length === 0}
          onClick={() => {
            overlay.value = { about: 'send', slugs };
          }}
        >
          Send…
        </button>
        <button
          type="button"
          class="button"
          disabled={slugs.length === 0}
          onClick={() => {
            overlay.value = { about: 'tags', slugs };
          }}
        >
          Tags…
        </button>
        {DEED_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            class="button"
            disabled={!isFor(DEEDS[name])}
            onClick={() => {
              overlay.value = { about: name, slugs };
            }}
          >
            {DEEDS[name].verb}…
          </button>
        ))}
      </div>
    </div>
  );
}
