import { effect, signal } from '@preact/signals';

export type DensityChoice = 'roomy' | 'dense';

const KEY = 'cbos.density';

/** How much space each session takes up in the list. */
export const densityChoice = signal<DensityChoice>(localStorage.getItem(KEY) === 'dense' ? 'dense' : 'roomy');

export function startDensity(): void {
  effect(() => {
    document.documentElement.dataset.density = densityChoice.value;
    localStorage.setItem(KEY, densityChoice.value);
  });
}
