import { useMemo } from 'preact/hooks';
import { namedFile, type PatchRow } from '../../text/patch-rows.ts';
import { languageOfFile } from '../../text/syntax/languages.ts';
import type { Tokens } from '../../text/syntax/tokens.ts';
import { isSame, useColours } from './use-colours.ts';

export type PatchColours = ReadonlyMap<PatchRow, Tokens>;

const NO_COLOURS: PatchColours = new Map();

/** Returns the tokens of a patch's rows. There are none until the worker has found them. @param rows all its rows */
export function usePatchColours(patch: string, rows: readonly PatchRow[]): PatchColours {
  const isWanted = useMemo(() => rows.some(namesLanguage), [rows]);
  const code = isWanted ? { of: 'patch' as const, text: patch } : null;
  const coloured = useColours(code);
  const lines = code !== null && coloured !== null && isSame(coloured.code, code) ? coloured.lines : null;
  return useMemo(() => {
    if (lines === null) return NO_COLOURS;
    return new Map(
      rows.flatMap((row, at): [PatchRow, Tokens][] => {
        const tokens = lines[at] ?? null;
        return tokens === null ? [] : [[row, tokens]];
      }),
    );
  }, [lines, rows]);
}

/** Reports whether a row names a file in a language that can be coloured. */
function namesLanguage(row: PatchRow): boolean {
  return languageOfFile(namedFile(row)?.name ?? '') !== null;
}
