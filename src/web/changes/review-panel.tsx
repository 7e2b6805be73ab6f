import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Review, ReviewComment, ReviewRound } from '../../protocol/index.ts';
import { shownName } from '../../text/changes-words.ts';
import { placeText, reviewText, roundText, visibleText } from '../../text/review-words.ts';
import { client } from '../connection/fleet.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bind, submitWith } from '../parts/field.tsx';
import { attempt, tell } from '../parts/toasts.tsx';
import { type ChosenLines, chosenLines } from './chosen-lines.ts';

interface ReviewPanelProps {
  slug: string;
  /** the file that is shown, or null if no file is shown */
  file: string | null;
  review: Review;
  /** reads the review from the server again */
  onChange(): void;
}

/**
 * Shows the comments on a session's changes: those that have not been sent yet, and the rounds that have, with the
 * session's answers.
 */
export function ReviewPanel({ slug, file, review, onChange }: ReviewPanelProps) {
  const isSending = useSignal(false);
  const chosen = chosenLines.value;
  const isReviewed = file !== null && review.reviewed.includes(file);
  const mark = async (): Promise<void> => {
    if (file === null) return;
    const body = { file, reviewed: !isReviewed };
    if (await attempt(() => client.call('markReviewed', { params: { slug }, body }))) onChange();
  };
  return (
    <section class="review" aria-label="Review">
      <div class="row">
        <span class="grow faint" role="status">
          {reviewText(review)}
        </span>
        {file !== null && (
          <button type="button" class="button" aria-pressed={isReviewed} onClick={() => void mark()}>
            Reviewed
          </button>
        )}
        <button
          type="button"
          class="button primary"
          disabled={review.prompt === null}
          onClick={() => {
            isSending.value = true;
          }}
        >
          Send…
        </button>
      </div>
      {chosen !== null && chosen.slug === slug && chosen.file === file && (
        <NewComment key={JSON.stringify(chosen)} chosen={chosen} onChange={onChange} />
      )}
      {review.comments.map((comment) => (
        <Comment key={comment.id} comment={comment}>
          <button
            type="button"
            class="button quiet"
            aria-label={`Delete the comment on ${placeText(comment)}`}
            onClick={() => {
              const params = { slug, id: comment.id };
              void attempt(() => client.call('removeReviewComment', { params })).then((isDone) => isDone && onChange());
            }}
          >
            Delete
          </button>
        </Comment>
      ))}
      {review.rounds.toReversed().map((round) => (
        <Round key={round.number} round={round} />
      ))}
      {isSending.value && review.prompt !== null && (
        <SendRound
          {...{ slug, onChange }}
          prompt={review.prompt}
          onClose={() => {
            isSending.value = false;
          }}
        />
      )}
    </section>
  );
}

function NewComment({ chosen, onChange }: { chosen: ChosenLines; onChange(): void }) {
  const text = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const { slug, file, side, line, endLine } = chosen;
  const add = async (): Promise<void> => {
    const body = { file, side, line, end_line: endLine, text: text.value };
    if (!(await attempt(() => client.call('addReviewComment', { params: { slug }, body })))) return;
    chosenLines.value = null;
    onChange();
  };
  const place = `${line === endLine ? `line ${line}` : `lines ${line}–${endLine}`}${side === 'base' ? ' of the base' : ''}`;
  return (
    <form class="stack" onSubmit={submitWith(add)}>
      <textarea
        ref={field}
        class="input"
        rows={2}
        required
        aria-label={`Comment on ${place}`}
        placeholder={`Comment on ${place} of ${shownName(file)}; Shift-click selects more lines`}
        {...bind(text)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') chosenLines.value = null;
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void add();
          else return;
          event.preventDefault();
        }}
      />
      <div class="row end">
        <button
          type="button"
          class="button"
          onClick={() => {
            chosenLines.value = null;
          }}
        >
          Cancel
        </button>
        <button type="submit" class="button primary">
          Comment
        </button>
      </div>
    </form>
  );
}

function Comment({ comment, children }: { comment: ReviewComment; children?: preact.ComponentChildren }) {
  return (
    <article class="review-comment" data-state={comment.anchor.state}>
      <div class="row">
        <strong class="grow">{placeText(comment)}</strong>
        {children}
      </div>
      {comment.anchor.state === 'outdated' && (
        <pre class="faint">{comment.lines.map((line) => `> ${visibleText(line)}`).join('\n')}</pre>
      )}
      <p>{visibleText(comment.text)}</p>
    </article>
  );
}

function Round({ round }: { round: ReviewRound }) {
  return (
    <details open={round.answer !== null}>
      <summary>{roundText(round)}</summary>
      {round.comments.map((comment) => (
        <Comment key={comment.id} comment={comment} />
      ))}
      <p class="review-answer">
        {round.answer === null ? 'No answer yet: it appears here when the turn ends.' : visibleText(round.answer)}
      </p>
    </details>
  );
}

/** Shows the prompt that will be sent, and sends exactly that prompt. */
function SendRound(props: { slug: string; prompt: string; onChange(): void; onClose(): void }) {
  const { slug, prompt, onChange, onClose } = props;
  const isBusy = useSignal(false);
  const send = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const isSent = await attempt(async () => {
      const round = await client.call('sendReview', { params: { slug }, body: { prompt } });
      tell(`${slug}, ${roundText(round)}`);
    });
    isBusy.value = false;
    onChange();
    if (isSent) onClose();
  };
  return (
    <Dialog label={`Send the review to ${slug}`} onClose={onClose} isWide>
      <form class="dialog-body stack" onSubmit={submitWith(send)}>
        <h2>Send this to {slug}?</h2>
        <pre class="review-prompt">{prompt}</pre>
        <div class="row end">
          <CloseButton>Cancel</CloseButton>
          <button type="submit" class="button primary" disabled={isBusy.value}>
            Send
          </button>
        </div>
      </form>
    </Dialog>
  );
}
