import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

export interface MenuItem {
  title: string;
  isBad?: boolean;
  run(): void;
}

/**
 * A button that opens a list of actions. Arrow keys move the selection. Escape or a click outside closes the list.
 */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const isOpen = useSignal(false);
  const element = useRef<HTMLDivElement>(null);
  const entries = (): HTMLButtonElement[] => [
    ...(element.current?.querySelectorAll<HTMLButtonElement>('[role=menuitem]') ?? []),
  ];
  useEffect(() => {
    if (!isOpen.value) return;
    entries()[0]?.focus();
    const close = (event: Event): void => {
      if (!(event.target instanceof Node) || element.current?.contains(event.target) !== true) isOpen.value = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen.value]);

  const handleKey = (event: KeyboardEvent): void => {
    if (!isOpen.value) return;
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) all[(at + step + all.length) % all.length]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') {
      isOpen.value = false;
      element.current?.querySelector('button')?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keypresses on the items bubble up to this element
    <div class="menu" ref={element} onKeyDown={handleKey}>
      <button
        type="button"
        class="button quiet icon"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="more" />
      </button>
      {isOpen.value && (
        <div class="menu-list" role="menu" aria-label={label}>
          {items.map(({ title, isBad, run }) => (
            <button
              key={title}
              type="button"
              role="menuitem"
              class={isBad === true ? 'bad' : ''}
              onClick={() => {
                isOpen.value = false;
                run();
              }}
            >
              {title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
