import { useRef } from 'preact/hooks';
import { sessions } from '../connection/fleet.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { QuestionPanel } from '../session/question.tsx';

/**
 * Shows a session's question in a dialog above the current page. An answer counts only after the question has been
 * visible for a moment and the user has read it to its end.
 */
export function AnswerDialog({ slug }: { slug: string }) {
  // No answer button has the focus at first, so that a key that is being held down cannot trigger one.
  const heading = useRef<HTMLHeadingElement>(null);
  const question = sessions.value.get(slug)?.status.question ?? null;
  return (
    <Dialog label={`${slug} asks`} onClose={closeOverlay} isWide focus={heading}>
      <div class="dialog-body stack">
        <h2 ref={heading} tabIndex={-1}>
          {question === null ? `${slug} no longer asks anything` : slug}
        </h2>
        {question !== null && (
          <QuestionPanel key={question.id} {...{ slug, question }} hasKeys cameByItself onAnswered={closeOverlay} />
        )}
        <div class="row end">
          <CloseButton>Close</CloseButton>
        </div>
      </div>
    </Dialog>
  );
}
