import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { sessions } from '../connection/fleet.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceText } from '../parts/field.tsx';
import { attempt, tell } from '../parts/toasts.tsx';
import { type ExportFormat, exportFormats, saveFile } from './export-files.ts';

/** Lets the user save a session as a file. */
export function ExportDialog({ slug }: { slug: string }) {
  const done = useSignal<number | null>(null);
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  const session = sessions.value.get(slug);

  const save = async ({ ending, make }: ExportFormat): Promise<void> => {
    if (done.value !== null) return;
    done.value = 0;
    const isDone = await attempt(async () => {
      const content = await make(slug, (part) => {
        if (isClosed.current) throw new Error('The export was cancelled');
        done.value = part;
      });
      if (!isClosed.current) saveFile(`${slug}.${ending}`, content);
    });
    done.value = null;
    if (!isDone || isClosed.current) return;
    closeOverlay();
    tell(`Saved as ${slug}.${ending}`);
  };

  return (
    <Dialog label={`Export ${slug}`} onClose={closeOverlay}>
      <div class="dialog-body stack">
        <h2>Export {slug}</h2>
        {session !== undefined &&
          exportFormats(session).map((format) => (
            <button
              key={format.ending}
              type="button"
              class="button choice"
              disabled={done.value !== null}
              onClick={() => void save(format)}
            >
              <ChoiceText title={format.title} about={format.about} />
            </button>
          ))}
        {done.value !== null && <progress aria-label="Exported" value={done.value} />}
        <div class="row end">
          <CloseButton>Cancel</CloseButton>
        </div>
      </div>
    </Dialog>
  );
}
