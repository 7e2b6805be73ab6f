import { structuredPatch } from 'diff';
import { useMemo } from 'preact/hooks';
import { patchRows, rowSign, shownRow } from '../../text/patch-rows.ts';
import { languageOfFile } from '../../text/syntax/languages.ts';
import { ColouredLine } from '../syntax/coloured-line.tsx';
import { usePatchColours } from '../syntax/use-patch-colours.ts';

/** How many unchanged lines to show around each change. */
const CONTEXT = 3;

/** Shows an edit of a file, line by line. */
export function Diff({ file, before, after }: { file: string; before: string; after: string }) {
  const patch = useMemo(() => patchOf(file, before, after), [file, before, after]);
  const rows = useMemo(() => patchRows(patch), [patch]);
  const colours = usePatchColours(patch, rows);
  const first = rows.findIndex(({ old, now }) => old !== null || now !== null);
  // The rows before the first line are headers, which say nothing about the edit.
  const shown = first === -1 ? [] : rows.slice(first);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll a wide change, too
    <pre class="code diff" tabIndex={0}>
      {shown.map((row, at) => (
        <div key={at} data-kind={row.kind === 'hunk' ? '@' : rowSign(row)}>
          <span aria-hidden="true" class="diff-mark">
            {row.kind === 'hunk' ? '⋯' : rowSign(row)}
          </span>
          {row.kind !== 'hunk' && <ColouredLine text={shownRow(row)} tokens={colours.get(row) ?? null} />}
        </div>
      ))}
    </pre>
  );
}

/** Returns the edit as a patch. Its name for the file says only in which language the file is. */
function patchOf(file: string, before: string, after: string): string {
  const { hunks } = structuredPatch('', '', withEnd(before), withEnd(after), '', '', { context: CONTEXT });
  const name = `edited.${languageOfFile(file) ?? 'txt'}`;
  // An edited text hardly ever begins at the first line of its file, so its numbers begin with 2.
  const header = (hunk: (typeof hunks)[number]): string =>
    `@@ -${hunk.oldStart + 1},${hunk.oldLines} +${hunk.newStart + 1},${hunk.newLines} @@`;
  return [`--- ${name}`, `+++ ${name}`, ...hunks.flatMap((hunk) => [header(hunk), ...hunk.lines]), ''].join('\n');
}

/** Adds a final line feed if it is missing, because such a difference does not matter here. */
function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
