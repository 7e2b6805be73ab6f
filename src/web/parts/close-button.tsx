import { closeOverlay } from '../app/overlay.ts';

/** Closes the dialog that it is in. */
export const CloseButton = ({ children }: { children: string }) => (
  <button type="button" class="button" onClick={closeOverlay}>
    {children}
  </button>
);
