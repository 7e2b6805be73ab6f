/** The strokes of the icons, which are 24×24 in size. Each icon is a single path. */
const PATHS = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  plus: 'M12 5v14M5 12h14',
  back: 'M15 5l-7 7 7 7',
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h5l1 2.5h4l1-2.5h5',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.5l3 1.5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  play: 'M8 5.5v13l10-6.5z',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  stop: 'M7 7h10v10H7z',
  keyboard: 'M3 7h18v10H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8 14h8',
  send: 'M5 12h13M12 6l6 6-6 6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  doubleCheck: 'M2.5 12.5L7 17l9-9.5M12 16l1 1 8.5-9',
  chevron: 'M9 6l6 6-6 6',
  next: 'M6 6l6 6-6 6M13 6l6 6-6 6',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  bell: 'M6 16V11a6 6 0 1 1 12 0v5l1.5 2h-15zM10 20.5h4',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  folder: 'M3 6h6l2 2.5h10V19H3z',
  choose: 'M4 5h5v5H4zM4 14h5v5H4zM13 7.5h7M13 16.5h7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  changes: 'M7 4v10M12 9H2M2 20h10M15 9h7',
  attach: 'M8 12.5l6.5-6.5a3 3 0 0 1 4.2 4.2L10.2 18.7a5 5 0 0 1-7-7L11 4',
  chat: 'M4 5h16v11H11l-4 4v-4H4z',
} as const;

export type IconName = keyof typeof PATHS;

/**
 * An icon. It is hidden from screen readers, because it is always next to a word or in a button that has an accessible
 * name.
 */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon-svg" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.9"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
