import { useMemo } from 'preact/hooks';
import type { ChangedFile, CheckpointFile, CheckpointMoment } from '../../protocol/index.ts';
import { shownName } from '../../text/changes-words.ts';
import { contentText, fileLines } from '../../text/checkpoint-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { LONGEST_LINE } from '../../text/patch-rows.ts';
import { ROW_PX } from '../changes/patch-view.tsx';
import { useAnswer } from '../changes/use-answer.ts';
import { client } from '../connection/fleet.ts';
import { Picture } from '../parts/picture.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';

/** Shows one file as it was at a checkpoint: text line by line, images as images, and what everything else is. */
export function PastFile(props: {
  slug: string;
  checkpoint: CheckpointMoment;
  path: string;
  /** how the file changed since the checkpoint before, or null if it did not */
  change: ChangedFile | null;
  onBack(): void;
}) {
  const { slug, checkpoint, path, change, onBack } = props;
  const { turn, state } = checkpoint;
  const isDeleted = change?.status === 'deleted';
  const { answer, problem } = useAnswer(
    isDeleted
      ? null
      : () => client.call('checkpointFile', { params: { slug, turn: String(turn) }, query: { state, path } }),
    [slug, turn, state, path, isDeleted],
  );
  const shown = answer?.path === path ? answer : null;
  return (
    <>
      <div class="past-file-head">
        <button type="button" class="button" onClick={onBack}>
          All files
        </button>
        <bdi class="grow clip-start">{shownName(path)}</bdi>
      </div>
      {isDeleted ? (
        <p class="empty">{shownName(path)} was deleted.</p>
      ) : problem !== null ? (
        <p class="notice bad past-problem">{problem}</p>
      ) : shown === null ? (
        <p class="empty">Loading…</p>
      ) : (
        <Content file={shown} />
      )}
    </>
  );
}

function Content({ file }: { file: CheckpointFile }) {
  const { path, content, size, image, cut } = file;
  const told = contentText(file);
  const lines = useMemo(() => (told === null ? fileLines(content ?? '') : []), [file]);
  if (image !== null && content !== null && size !== null)
    return (
      <div class="past-image">
        <Picture {...{ image, content }} bytes={size} alt={shownName(path)} />
      </div>
    );
  if (told !== null) return <p class="empty">{told}</p>;
  return (
    <>
      {cut && (
        <p class="notice" role="status">
          The file is too long, so its end is missing.
        </p>
      )}
      <VirtualList
        class="patch"
        label={`Lines of ${shownName(path)}`}
        count={lines.length}
        rowHeightPx={ROW_PX}
        row={(at) => <Line key={at} number={at + 1} text={lines[at] ?? ''} />}
      />
    </>
  );
}

function Line({ number, text }: { number: number; text: string }) {
  const more = text.length - LONGEST_LINE;
  return (
    <div class="patch-row" data-kind="context">
      <span class="patch-number" aria-hidden="true">
        {number}
      </span>
      <span>{showHiddenMarks(more > 0 ? text.slice(0, LONGEST_LINE) : text)}</span>
      {more > 0 && <span class="faint"> … {more} more characters</span>}
    </div>
  );
}
