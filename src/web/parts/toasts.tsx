import { signal } from '@preact/signals';
import { CatalogueError } from '../../protocol/index.ts';
import { noticeRefusal } from '../connection/fleet.ts';
import { Icon } from './icons.tsx';

/** How long a toast is shown: long enough to read two lines. */
const SHOWN_MS = 7_000;
/** How many toasts are shown at once. A larger number would hide the page. */
const MAX_SHOWN = 3;

interface Toast {
  id: number;
  text: string;
  hint: string | null;
  isBad: boolean;
}

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

function show(toast: Omit<Toast, 'id'>): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(1 - MAX_SHOWN), { ...toast, id }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function tell(text: string): void {
  show({ text, hint: null, isBad: false });
}

/** Shows what went wrong, and how to fix it. */
export function tellError(error: unknown): void {
  noticeRefusal(error);
  if (error instanceof CatalogueError) {
    show({
      text: error.message,
      hint: error.code === 'no_server' ? 'The page retries automatically' : error.hint,
      isBad: true,
    });
    return;
  }
  show({ text: error instanceof Error ? error.message : String(error), hint: null, isBad: true });
}

/** Runs an action that the user has requested, and shows any error. Resolves to whether the action succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    tellError(error);
    return false;
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.isBad ? 'bad' : ''}`}>
          <div class="grow">
            <div>{toast.text}</div>
            {toast.hint !== null && <div class="faint">{toast.hint}</div>}
          </div>
          <button type="button" class="button quiet icon" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
