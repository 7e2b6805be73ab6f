import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A modal dialog: the browser keeps the focus in it and gives it back, and Escape closes it. */
export function Dialog(props: { label: string; onClose: () => void; children: ComponentChildren }) {
  const { label, onClose, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it by Escape itself; the click is one beside it
    <dialog
      ref={element}
      aria-label={label}
      onClose={onClose}
      onClick={({ target }) => {
        if (target === element.current) element.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
