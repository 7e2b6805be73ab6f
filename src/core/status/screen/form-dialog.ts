import { isRule } from './rule-line.ts';
import type { DrawnForm, ScreenDialog, ScreenFrame } from './screen-evidence.ts';

/** Matches the first line of the dialog in which an MCP server asks the user (2.1.330). */
const HEAD = /^MCP server “(.*)” (requests your input|wants to open a URL|— waiting for completion)$/;
/** Matches the last line of a form. In a form that is taller than the window, the first line is not visible. */
const KEYS = /^Esc to cancel · .*Backspace to unset/;

/**
 * Reads the dialog with the form of an MCP server, or returns null if none is open. The lines of the form are fields
 * and not options, and keypresses change them, so CBOS reads only which server asks, and its message.
 */
export function readFormDialog({ lines, cols }: ScreenFrame): ScreenDialog | null {
  const rule = lines.findLastIndex((line) => isRule(line, cols));
  const body = lines.slice(rule + 1).map((line) => line.trim());
  const [head = '', ...rest] = body.slice(
    Math.max(
      0,
      body.findIndex((line) => line !== ''),
    ),
  );
  const [, server = null, asks] = HEAD.exec(head) ?? [];
  if (server === null && !KEYS.test(body.findLast((line) => line !== '') ?? '')) return null;
  const isAccepted = asks === '— waiting for completion';
  const form: DrawnForm = {
    mode: isAccepted || asks === 'wants to open a URL' ? 'url' : 'form',
    server,
    ...(isAccepted ? { accepted: true } : {}),
  };
  const text = server === null ? '' : firstParagraph(rest);
  return {
    kind: 'form',
    parts: [{ header: null, text, options: [], multi: false }],
    chosen: null,
    freeText: null,
    numbered: false,
    checked: [],
    form,
    isWhole: true,
  };
}

function firstParagraph(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line !== '');
  const end = lines.indexOf('', Math.max(0, start));
  return start < 0 ? '' : lines.slice(start, end < 0 ? undefined : end).join(' ');
}
