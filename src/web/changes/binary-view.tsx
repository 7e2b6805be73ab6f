import { type ChangedFile, type ChangedSide, MOST_CONTENT_BYTES } from '../../protocol/index.ts';
import { linesText, shownName } from '../../text/changes-words.ts';
import { formatSize } from '../../text/recording-words.ts';
import { client } from '../connection/fleet.ts';
import { Picture } from '../parts/picture.tsx';
import { useAnswer } from './use-answer.ts';

interface BinaryViewProps {
  slug: string;
  file: ChangedFile;
  turn: number | null;
  /** a value that is different after the changes have been read again */
  reading: number;
}

/** Shows a binary file as it was and as it is: images side by side, and of everything else the size. */
export function BinaryView(props: BinaryViewProps) {
  return (
    <div class="sides">
      <p class="faint">{linesText(props.file)}</p>
      <Side {...props} side="old" />
      <Side {...props} side="new" />
    </div>
  );
}

function Side({ slug, file, turn, reading, side }: BinaryViewProps & { side: ChangedSide['side'] }) {
  const size = file.sizes?.[side] ?? null;
  const isRead = size !== null && size <= MOST_CONTENT_BYTES;
  const query = { file: file.path, side, ...(turn === null ? {} : { turn: String(turn) }) };
  const { answer, problem } = useAnswer(isRead ? () => client.call('changedSide', { params: { slug }, query }) : null, [
    slug,
    file.path,
    turn,
    side,
    reading,
    isRead,
  ]);
  const name = side === 'old' ? 'Before' : 'After';
  return (
    <section class="side" aria-label={name}>
      <h2>{name}</h2>
      {size === null ? (
        <p class="faint">{side === 'old' ? 'The file did not exist.' : 'The file was deleted.'}</p>
      ) : !isRead ? (
        <p class="faint">{formatSize(size)}, too large to show</p>
      ) : problem !== null ? (
        <p class="notice bad">{problem}</p>
      ) : answer === null ? (
        <p class="faint">Loading…</p>
      ) : (
        <Content file={answer} />
      )}
    </section>
  );
}

function Content({ file: { path, side, kind, size, content, image } }: { file: ChangedSide }) {
  if (image !== null && content !== null && size !== null) {
    const alt = `${shownName(path)} ${side === 'old' ? 'before' : 'after'} the changes`;
    return <Picture {...{ image, content, alt }} bytes={size} />;
  }
  if (kind === 'link') return <p class="faint">A symbolic link to {shownName(content ?? '')}</p>;
  return <p class="faint">{formatSize(size ?? 0)}, not an image</p>;
}
