import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MisdetectionRequest } from '../cli/local-host.ts';
import { redactFrame, redactLine } from '../core/status/index.ts';
import type { Explanation } from '../protocol/index.ts';

/** Claude Code's own tool names are public, but the names of tools from MCP servers may be private. */
const redactTool = (name: string): string => (name.startsWith('mcp__') ? 'mcp__x__x' : name);

/** Returns the parts of an explanation that rules look at, without any of the session's own words. */
export function redactExplanation({
  status: _,
  verdicts,
  evidence,
  ...plain
}: Explanation): Omit<Explanation, 'status'> {
  const { hooks, screen, json } = evidence;
  const frame = screen && redactFrame({ ...screen, dimRows: screen.dim_rows });
  const end = hooks?.turn_end ?? null;
  const hide = (text: string | null): string | null =>
    text === null ? null : text.split('\n').map(redactLine).join('\n');
  const hidePrompt = <P extends { text: string }>(prompt: P | null): P | null =>
    prompt && { ...prompt, text: redactLine(prompt.text) };
  const hideCalls = <C extends { name: string }>(calls: readonly C[]): C[] =>
    calls.map((call) => ({ ...call, name: redactTool(call.name) }));
  return {
    ...plain,
    verdicts: verdicts.map((verdict) => ({ ...verdict, evidence: redactLine(verdict.evidence) })),
    evidence: {
      ...evidence,
      hooks: hooks && {
        ...hooks,
        prompt: hidePrompt(hooks.prompt),
        tools: hideCalls(hooks.tools),
        turn_end: end && { ...end, error: hide(end.error), message: hide(end.message) },
      },
      json: json && {
        ...json,
        prompt: hidePrompt(json.prompt),
        tools: hideCalls(json.tools),
        questions: hideCalls(json.questions),
        turn_end: json.turn_end && {
          ...json.turn_end,
          error: hide(json.turn_end.error),
          message: hide(json.turn_end.message),
        },
        retry: json.retry && { ...json.retry, reason: redactLine(json.retry.reason) },
      },
      screen: screen && frame && { ...screen, lines: [...frame.lines], draft: hide(screen.draft) },
    },
  };
}

/**
 * Saves the evidence for a session whose status is wrong, so that the user can report it and it can be turned into a
 * test.
 * @returns the path of the file, which only its owner can read
 */
export async function writeMisdetection(
  { slug, shouldBe, explanation, at }: MisdetectionRequest,
  { home, version }: { home: string; version: string },
): Promise<string> {
  const directory = join(home, 'misdetections');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { primary, detail } = explanation.status;
  const said = primary === null ? 'unknown' : [primary, detail].filter((word) => word !== null).join('/');
  const moment = new Date(at).toISOString().replace(/[:.]/g, '-');
  const file = join(directory, `${slug}-${moment}.json`);
  const fixture = { cbos: version, should_be: shouldBe, said, ...redactExplanation(explanation) };
  await writeFile(file, `${JSON.stringify(fixture, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}
