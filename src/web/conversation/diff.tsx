import { structuredPatch } from 'diff';
import { useMemo } from 'preact/hooks';
import { showHiddenMarks } from '../../text/hidden-marks.ts';

/** How many unchanged lines to show around each change. */
const CONTEXT = 3;

interface DiffLine {
  kind: ' ' | '+' | '-' | '@';
  text: string;
}

/** Shows an edit of a file, line by line. */
export function Diff({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll a wide change, too
    <pre class="code diff" tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} data-kind={kind}>
          <span aria-hidden="true" class="diff-mark">
            {kind === '@' ? '⋯' : kind}
          </span>
          {showHiddenMarks(text)}
        </div>
      ))}
    </pre>
  );
}

export function diffLines(before: string, after: string): DiffLine[] {
  const { hunks } = structuredPatch('', '', withEnd(before), withEnd(after), '', '', { context: CONTEXT });
  return hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : [{ kind: '@' as const, text: '' }]),
    ...hunk.lines.map((line): DiffLine => ({ kind: kindOf(line), text: line.slice(1) })),
  ]);
}

function kindOf(line: string): DiffLine['kind'] {
  return line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
}

/** Adds a final line feed if it is missing, because such a difference does not matter here. */
function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
