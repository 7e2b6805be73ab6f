import { computed, effect } from '@preact/signals';
import { isCurrent, needsYou } from '../../protocol/index.ts';
import { link, sessions } from '../connection/fleet.ts';
import { place } from '../navigation/router.ts';

/** How many sessions need the user. It is 0 while the connection is lost, because the number is then unknown. */
const needing = computed(() =>
  link.value === 'live'
    ? [...sessions.value.values()].filter((session) => isCurrent(session) && needsYou(session)).length
    : 0,
);

/** Shows how many sessions need the user: in the title, in the tab's icon, and in the badge of the installed app. */
export function startAttention(): void {
  effect(() => {
    const { value: at } = place;
    const name = at.page === 'session' || at.page === 'replay' || at.page === 'changes' ? `${at.slug} · CBOS` : 'CBOS';
    document.title = needing.value === 0 ? name : `(${needing.value}) ${name}`;
  });
  effect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon !== null) icon.href = needing.value === 0 ? './icon.svg' : './icon-alert.svg';
    // This function exists only if the page can be installed. The browser may reject the call, which does no harm.
    if ('setAppBadge' in navigator) void navigator.setAppBadge(needing.value).catch(() => undefined);
  });
}
