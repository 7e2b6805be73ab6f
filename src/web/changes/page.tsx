import { computed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { CatalogueError, type ChangedFile, type Changes, type Review, type Turn } from '../../protocol/index.ts';
import { baseText, changedName, changeLetter, leftOutLines, linesText, totalText } from '../../text/changes-words.ts';
import { turnText } from '../../text/turn-words.ts';
import { client, link, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { now } from '../display/clock.ts';
import { addressOf, goTo, parsePlace } from '../navigation/router.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { PageHead } from '../parts/page-head.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { BinaryView } from './binary-view.tsx';
import { isSideBySide, PatchView } from './patch-view.tsx';
import { problemText } from './problem-text.ts';
import { ReviewPanel } from './review-panel.tsx';

const FILE_ROW_PX = 36;

interface ChangesPlace {
  slug: string;
  file: string | null;
  turn: number | null;
}

/** Shows a session's changes in its repository, file by file. */
export function ChangesPage({ slug, file, turn }: ChangesPlace) {
  const { changes, problem, turns, review, isWorking, reading, readAgain, readReview } = useChanges({
    slug,
    file,
    turn,
  });
  // Comments and marks belong to the files as they are now.
  const shownReview = turn === null ? review : null;
  const files = changes?.files ?? [];
  const chosen = files.findIndex(({ path }) => path === file);
  const shown = files[chosen === -1 ? 0 : chosen];
  const step = (by: 1 | -1): void => {
    // Start from the current address, so that two quick keypresses count as two steps, even if the first has not been
    // drawn yet.
    const at = parsePlace(location.hash);
    const from = files.findIndex(({ path }) => at.page === 'changes' && path === at.file);
    const next = files[Math.max(0, from) + by];
    if (next !== undefined) goTo({ page: 'changes', slug, file: next.path, turn });
  };
  useShortcuts(
    [
      { keys: ']', does: 'To the next file', run: () => step(1) },
      { keys: '[', does: 'To the previous file', run: () => step(-1) },
      { keys: 's', does: 'In one column or side by side', run: flip },
      { keys: 'r', does: 'Reload the changes', run: readAgain },
      { keys: 'd', does: 'Back to the session', run: () => goTo({ page: 'session', slug }) },
    ],
    [slug, turn, files, chosen],
  );

  return (
    <>
      <ChangesHead slug={slug} onRefresh={readAgain} />
      {problem !== null && <p class="notice bad changes-problem">{problem}</p>}
      {changes === null ? (
        problem === null && <p class="empty">Loading…</p>
      ) : (
        <div class="changes">
          <div class="changes-side">
            <TurnChoice {...{ slug, turn, turns }} />
            <Summary {...{ changes, isWorking }} />
            <FileList {...{ slug, files, turn }} reviewed={shownReview?.reviewed ?? []} chosen={Math.max(0, chosen)} />
          </div>
          <div class="changes-patch">
            <FilePatch
              key={`${turn} ${shown?.path}`}
              {...{ slug, turn, changes, reading }}
              file={shown}
              review={shownReview}
            />
            {shownReview !== null && (
              <ReviewPanel slug={slug} file={shown?.path ?? null} review={shownReview} onChange={readReview} />
            )}
          </div>
        </div>
      )}
    </>
  );
}

function flip(): void {
  isSideBySide.value = !isSideBySide.peek();
}

/**
 * Reads the changes, the turns and the review when the page is opened, when a turn of the session begins or ends, and
 * when the user asks for it.
 */
function useChanges({ slug, file, turn }: ChangesPlace) {
  const working = useMemo(() => computed(() => sessions.value.get(slug)?.status.primary === 'active'), [slug]);
  const changes = useSignal<Changes | null>(null);
  const problem = useSignal<string | null>(null);
  const reading = useSignal(0);
  const asked = useSignal(0);
  const reviewAsked = useSignal(0);
  const isWorking = working.value;
  const isLive = link.value === 'live';
  const values = [slug, isWorking, isLive, asked.value];
  const params = { slug };
  const query = turn === null ? { patch_of: file ?? '' } : { turn: String(turn) };
  useRead(
    isLive ? () => client.call('changes', { params, query }) : null,
    {
      onRead: (answer) => {
        changes.value = answer;
        problem.value = null;
        reading.value++;
      },
      onError: (error) => {
        if (link.peek() === 'live') problem.value = problemText(error);
      },
    },
    [turn, ...values],
  );
  const listed = useNewer(isLive ? () => client.call('listTurns', { params }) : null, values);
  const review = useNewer(isLive ? () => client.call('review', { params }) : null, [...values, reviewAsked.value]);
  return {
    changes: changes.value,
    problem: problem.value,
    reading: reading.value,
    turns: listed?.turns.toReversed() ?? [],
    review,
    isWorking,
    readAgain: (): void => void asked.value++,
    readReview: (): void => void reviewAsked.value++,
  };
}

/** Requests something that an older server lacks. If the changes cannot be read either, the page shows that error. */
function useNewer<T>(request: (() => Promise<T>) | null, values: readonly unknown[]): T | null {
  const answer = useSignal<T | null>(null);
  useRead(
    request,
    {
      onRead: (read) => {
        answer.value = read;
      },
      onError: (error) => {
        if (!(error instanceof CatalogueError)) throw error;
      },
    },
    values,
  );
  return answer.value;
}

function ChangesHead({ slug, onRefresh }: { slug: string; onRefresh(): void }) {
  return (
    <PageHead title={`${slug}, changes`}>
      <button type="button" class="button" aria-pressed={isSideBySide.value} onClick={flip}>
        Side by side
      </button>
      <button type="button" class="button" onClick={onRefresh}>
        Refresh
      </button>
      <a class="button" href={addressOf({ page: 'session', slug })}>
        Session
      </a>
    </PageHead>
  );
}

function FilePatch(props: {
  slug: string;
  turn: number | null;
  changes: Changes;
  file: ChangedFile | undefined;
  reading: number;
  review: Review | null;
}) {
  const { slug, turn, changes, file, reading, review } = props;
  if (file === undefined) return <p class="empty">No changes {baseText(changes.base)}.</p>;
  if (file.binary && file.sizes !== undefined) return <BinaryView {...{ slug, turn, file, reading }} />;
  const read = changes.patch?.file === file.path ? changes.patch : null;
  return <PatchView {...{ slug, file, turn, reading, read }} comments={review?.comments ?? []} />;
}

/** Offers the turns whose files were saved, newest first. */
function TurnChoice({ slug, turn, turns }: { slug: string; turn: number | null; turns: readonly Turn[] }) {
  if (turns.length === 0 && turn === null) return null;
  return (
    <select
      class="input turn-choice"
      aria-label="Which changes"
      value={turn ?? ''}
      onChange={({ currentTarget: { value } }) =>
        goTo({ page: 'changes', slug, file: null, turn: value === '' ? null : Number(value) })
      }
    >
      <option value="">All changes since its branch began</option>
      {turn !== null && !turns.some(({ number }) => number === turn) && <option value={turn}>Turn {turn}</option>}
      {turns.map((one) => (
        <option key={one.number} value={one.number}>
          {turnText(one, now.value)}
        </option>
      ))}
    </select>
  );
}

function Summary({ changes, isWorking }: { changes: Changes; isWorking: boolean }) {
  return (
    <div class="changes-summary" role="status">
      <strong>{totalText(changes.total)}</strong> <span class="faint">{baseText(changes.base)}</span>
      {leftOutLines(changes).map((line) => (
        <p key={line} class="faint">
          {line}
        </p>
      ))}
      {isWorking && <p class="faint">A turn is running. The changes are reloaded when it ends.</p>}
    </div>
  );
}

function FileList(props: {
  slug: string;
  turn: number | null;
  files: readonly ChangedFile[];
  reviewed: readonly string[];
  chosen: number;
}) {
  const { slug, turn, files, chosen } = props;
  const reviewed = new Set(props.reviewed);
  return (
    <VirtualList
      class="changed-files"
      label="Changed files"
      count={files.length}
      rowHeightPx={FILE_ROW_PX}
      shown={chosen}
      row={(at) => {
        const file = files[at];
        return file === undefined ? null : (
          <FileRow key={at} {...{ slug, turn, file }} isChosen={at === chosen} isReviewed={reviewed.has(file.path)} />
        );
      }}
    />
  );
}

function FileRow(props: {
  slug: string;
  turn: number | null;
  file: ChangedFile;
  isChosen: boolean;
  isReviewed: boolean;
}) {
  const { slug, turn, file, isChosen, isReviewed } = props;
  const name = changedName(file);
  const letter = changeLetter(file);
  const status = file.parts.includes('untracked') ? 'untracked' : file.status.replaceAll('_', ' ');
  return (
    <a
      class="changed-file"
      href={addressOf({ page: 'changes', slug, file: file.path, turn })}
      aria-current={isChosen ? 'true' : undefined}
      title={`${name}: ${[status, ...file.parts.filter((part) => part !== status)].join(', ')}`}
    >
      <span class="changed-letter" data-status={file.status} aria-hidden="true">
        {letter}
      </span>
      <bdi class="grow clip-start">{name}</bdi>
      <span class="hidden-text">{status}</span>
      {isReviewed && (
        <span class="faint" title="reviewed, until it changes">
          ✓<span class="hidden-text"> reviewed</span>
        </span>
      )}
      <span class="number faint">{linesText(file)}</span>
    </a>
  );
}
