import type { ScreenFrame } from './screen/screen-evidence.ts';

/**
 * The words of Claude Code's own interface (1.0 to 2.1.329). They must not be redacted, because rules read them.
 * Everything else on a screen is private. Longer patterns come first, so that a shorter pattern does not match only
 * part of a text.
 */
const KEPT: readonly RegExp[] = [
  /\b(?:Do you want (?:to (?:use this API key|proceed|make this edit|create)|Claude)|Would you like to (?:proceed|allow|run)|Claude (?:wants|needs|requests)|Claude has written up a plan|Exit plan mode\?|Ready to code\?)/g,
  /\b(?:Yes\b(?:, (?:allow all edits|and (?:don[’']t ask again|auto-accept edits|manually approve edits|bypass permissions)))?|No\b(?:, (?:and tell|keep planning|exit))?|Type something|Type here|Tell Claude|Other$|Submit|Next)/g,
  /\b(?:esc|Esc|enter|Enter|Tab|tab|shift\+tab|ctrl\+\w) to [a-z]+\b/g,
  /\b(?:API Error|Credit balance (?:is )?too low|Invalid API key|Please run \/login|OAuth token|Prompt is too long|Request timed out|Connection error|Unable to connect to API|(?:usage|session|weekly|rate|spend(?:ing)?) limit|5-hour limit|You[’']ve (?:hit|reached) your)/gi,
  /\b(?:Once fixed, resend your message|Resend your message|Press up to edit queued messages|Try (?="))/g,
  /\b(?:Showing detailed transcript|(?:dialog waiting|working)(?= · Showing)|Compacting\b|Conversation compacted|running \w+ hook|thinking|Thinking|Thought|tokens|Queued|Ran|Read|Did not run|Searched|Listed|Fetched|Edited|Wrote|Created|Exited plan mode|Entered plan mode|Updated|Approved|Rejected|plan$|MCP|Interrupted)\b/g,
  /\bfor (?=(?:\d+[hms] ?)+)|\bdone (?=\d)|\d+(?:\.\d+)?(?:[hms]\b|k?(?= tokens))/g,
  / ⎿\s+(?:Waiting|Running)…/g,
  /(?<=^ +(?:\+\d+ )?)(?:more )?lines?\b|\bctrl\+b to run in background$|\b(?:User answered|Answered) Claude's questions:/g,
  /^[●⏺ ] Reading \d+ files?…|^[●⏺] (?:Agent|Background command)(?= ")|" (?:finished|completed)\b/g,
  // Claude Code 1.0 shows reasoning only if the prompt contains one of these words.
  /(?<=^> .*)\b(?:ultra|mega)?think\b/gi,
  /^[│\s]*(?:[❯>]\s*)?\d{1,2}\. /g,
];

/** A placeholder that is as wide on the screen as the letter that it replaces. */
const WIDE = '国';
// Matches Hangul and East Asian wide and full-width letters, each of which takes two cells.
const WIDE_LETTER =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/u;

function placeholder(character: string): string {
  if (/\p{Nd}/u.test(character)) return '0';
  if (WIDE_LETTER.test(character)) return /\p{P}/u.test(character) ? character : WIDE;
  if (/\p{Lu}/u.test(character)) return 'X';
  return /\p{L}/u.test(character) ? 'x' : character;
}

/** Replaces every letter and digit in a line with a placeholder of the same width, except in words that rules read. */
export function redactLine(line: string): string {
  const kept = new Set<number>();
  for (const pattern of KEPT) {
    for (const match of line.matchAll(pattern)) {
      for (let index = match.index; index < match.index + match[0].length; index++) kept.add(index);
    }
  }
  let redacted = '';
  let index = 0;
  for (const character of line) {
    redacted += kept.has(index) ? character : placeholder(character);
    index += character.length;
  }
  return redacted;
}

/** Returns a frame without its private content. Rules find the same things in it as in the original frame. */
export const redactFrame = (frame: ScreenFrame): ScreenFrame => ({ ...frame, lines: frame.lines.map(redactLine) });
