import type { ComponentChildren } from 'preact';
import { addressOf } from '../navigation/router.ts';
import { Icon } from './icons.tsx';

/** The top of a page: a link back to the list (on a phone), the title, and the page's actions. */
export function PageHead({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <a class="button quiet icon back" href={addressOf({ page: 'home' })} aria-label="To the list">
        <Icon name="back" />
      </a>
      <h1 class="clip grow">{title}</h1>
      {children}
    </header>
  );
}
