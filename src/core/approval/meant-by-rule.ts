import { mayMeanCommand, meansCommand } from './command-meaning.ts';
import { unwrap } from './command-pattern.ts';
import { FILE_TOOLS, SHELL_TOOL, WRITING_TOOLS } from './read-rules.ts';
import { type ApprovalRule, fitsTool } from './rule.ts';
import type { SeenCall } from './seen-call.ts';

/** The part of a call that a `deny` or an `ask` covers. */
export interface Meant {
  isSure: boolean;
  about: string;
}

/** Reports whether a `deny` or an `ask` covers the call certainly, possibly, or not at all (null). */
export function meantByRule(seen: SeenCall, rule: ApprovalRule): Meant | null {
  const { tool } = seen.call;
  if (rule.commands.length > 0) return tool === SHELL_TOOL ? meantByCommand(seen, rule) : null;
  if (rule.paths.length > 0) return meantByPath(seen, rule);
  return fitsTool(rule, tool) ? { isSure: true, about: tool } : null;
}

function meantByCommand(seen: SeenCall, rule: ApprovalRule): Meant | null {
  const { command } = seen;
  if (command === null) return { isSure: false, about: SHELL_TOOL };
  let perhaps: Meant | null = null;
  for (const pattern of rule.commands) {
    for (const words of command.seen) {
      const linked = behindLink(seen, words);
      const meaning = meansCommand(pattern, words) ?? (linked === words ? null : meansCommand(pattern, linked));
      if (meaning === null) continue;
      const meant = { isSure: meaning === 'sure', about: words.join(' ') };
      if (meant.isSure) return meant;
      perhaps ??= meant;
    }
  }
  const hidden = perhaps === null ? rule.commands.find((pattern) => mayMeanCommand(pattern, seen.text)) : undefined;
  return hidden === undefined ? perhaps : { isSure: false, about: hidden.join(' ') };
}

/** Returns the same command, with the program replaced by the target of its symbolic link. */
function behindLink(seen: SeenCall, words: readonly string[]): readonly string[] {
  const { words: run } = unwrap({ assignments: [], words });
  const [name = ''] = run;
  if (!name.includes('/')) return words;
  const place = seen.placesOf(name).find((one) => one !== null && !one.endsWith(name.slice(name.lastIndexOf('/'))));
  return place == null ? words : [place, ...run.slice(1)];
}

function meantByPath(seen: SeenCall, rule: ApprovalRule): Meant | null {
  const { tool } = seen.call;
  const named = tool === SHELL_TOOL ? seen.paths : coversFileTool(rule, tool) ? [seen.file()] : [];
  let perhaps: Meant | null = null;
  for (const { path, places, isSure, takesFolders } of named) {
    const fits = places.map((place) => seen.fitOf(rule, place, false));
    if (isSure && fits.includes('fits')) return { isSure, about: path };
    const mayFit = fits.some((fit) => fit === 'fits' || fit === 'perhaps' || (fit === 'holds' && takesFolders));
    if (places.length === 0 || mayFit) perhaps ??= { isSure: false, about: path };
  }
  return perhaps;
}

/** A path that one reading tool may not open is closed to all readers, and one for a writing tool to all writers. */
export const coversFileTool = (rule: ApprovalRule, tool: string): boolean =>
  FILE_TOOLS.has(tool) &&
  (fitsTool(rule, tool) ||
    [...FILE_TOOLS.keys()].some(
      (other) => fitsTool(rule, other) && (!WRITING_TOOLS.has(other) || WRITING_TOOLS.has(tool)),
    ));
