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

/**
 * Shows a session's changes in its repository, file by file. It reads the changes when the page is opened, when a turn
 * of the session begins or ends, and when the user asks for it.
 */
export function ChangesPage({ slug, file, turn }: { slug: string; file: string | null; turn: number | null }) {
  const working = useMemo(() => computed(() => sessions.value.get(slug)?.status.primary === 'active'), [slug]);
  const changes = useSignal<Changes | null>(null);
  const problem = useSignal<string | null>(null);
  const reading = useSignal(0);
  const asked = useSignal(0);
  const isWorking = working.value;
  const isLive = link.value === 'live';

  useRead(
    isLive
      ? () =>
          client.call('changes', {
            params: { slug },
            query: turn === null ? { patch_of: file ?? '' } : { turn: String(turn) },
          })
      : null,
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
    [slug, turn, isWorking, isLive, asked.value],
  );

  // Ignore errors of these two requests, because an older server lacks them. If the changes cannot be read either, the
  // page shows that error.
  const onError = (error: unknown): void => {
    if (!(error instanceof CatalogueError)) throw error;
  };
  const turns = useSignal<readonly Turn[]>([]);
  useRead(
    isLive ? () => client.call('listTurns', { params: { slug } }) : null,
    {
      onRead: (answer) => {
        turns.value = answer.turns.toReversed();
      },
      onError,
    },
    [slug, isWorking, isLive, asked.value],
  );

  const review = useSignal<Review | null>(null);
  const reviewAsked = useSignal(0);
  useRead(
    isLive ? () => client.call('review', { params: { slug } }) : null,
    {
      onRead: (answer) => {
        review.value = answer;
      },
      onError,
    },
    [slug, isWorking, isLive, asked.value, reviewAsked.value],
  );

  // Comments and marks belong to the files as they are now.
  const shownReview = turn === null ? review.value : null;
  const files = changes.value?.files ?? [];
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
  const readAgain = (): void => {
    asked.value++;
  };
  const flip = (): void => {
    isSideBySide.value = !isSideBySide.peek();
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
      <PageHead title={`${slug}, changes`}>
        <button type="button" class="button" aria-pressed={isSideBySide.value} onClick={flip}>
          Side by side
        </button>
        <button type="button" class="button" onClick={readAgain}>
          Refresh
        </button>
        <a class="button" href={addressOf({ page: 'session', slug })}>
          Session
        </a>
      </PageHead>
      {problem.value !== null && <p class="notice bad changes-problem">{problem.value}</p>}
      {changes.value === null ? (
        problem.value === null && <p class="empty">Loading…</p>
      ) : (
        <div class="changes">
          <div class="changes-side">
            <TurnChoice {...{ slug, turn }} turns={turns.value} />
            <Summary changes={changes.value} isWorking={isWorking} />
            <FileList {...{ slug, files, turn }} reviewed={shownReview?.reviewed ?? []} chosen={Math.max(0, chosen)} />
          </div>
          <div class="changes-patch">
            {shown === undefined ? (
              <p class="empty">No changes {baseText(changes.value.base)}.</p>
            ) : shown.binary && shown.sizes !== undefined ? (
              <BinaryView key={`${turn} ${shown.path}`} {...{ slug, turn }} file={shown} reading={reading.value} />
            ) : (
              <PatchView
                key={`${turn} ${shown.path}`}
                slug={slug}
                file={shown}
                turn={turn}
                reading={reading.value}
                read={changes.value.patch?.file === shown.path ? changes.value.patch : null}
                comments={shownReview?.comments ?? []}
              />
            )}
            {shownReview !== null && (
              <ReviewPanel
                slug={slug}
                file={shown?.path ?? null}
                review={shownReview}
                onChange={() => {
                  reviewAsked.value++;
                }}
              />
            )}
          </div>
        </div>
      )}
    </>
  );
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
