import { effect, signal } from '@preact/signals';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'cbos.theme';
const isThemeChoice = (text: string | null): text is ThemeChoice =>
  text === 'system' || text === 'light' || text === 'dark';

const stored = localStorage.getItem(KEY);
export const themeChoice = signal<ThemeChoice>(isThemeChoice(stored) ? stored : 'system');
/** The theme in which the page is currently shown. */
export const theme = signal<'light' | 'dark'>('light');

/** Applies the theme that the user has chosen, which may be to follow the system's theme. */
export function startTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const systemIsDark = signal(system.matches);
  system.addEventListener('change', ({ matches }) => {
    systemIsDark.value = matches;
  });
  effect(() => {
    const choice = themeChoice.value;
    theme.value = choice === 'system' ? (systemIsDark.value ? 'dark' : 'light') : choice;
    document.documentElement.dataset.theme = theme.value;
    localStorage.setItem(KEY, choice);
  });
}
