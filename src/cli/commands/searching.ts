import type { Command } from 'commander';
import { SEARCH_KINDS, type SearchHit, type SearchKind, type SearchResult } from '../../protocol/index.ts';
import { formatDateTime } from '../../text/durations.ts';
import { cleanBlock } from '../../text/terminal-text.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';
import { readWhole } from './option-values.ts';

/** The server's limit. */
const MAX_HITS = 500;

interface SearchOptions {
  session?: string;
  kind?: SearchKind;
  limit?: number;
  json?: boolean;
}

/** Adds `search`. */
export function addSearching(program: Command, context: CliContext): void {
  const { out } = context;

  const searching = describe(program.command('search'), {
    group: 'looking',
    summary: 'search everything that sessions showed and said',
    more: [
      'The newest hits come first. All words must occur, at least as the beginning of a longer word; words "in quotes" must occur exactly.',
      'Each hit comes with a command that replays the session from there or, for a JSON session, prints the events after it.',
    ].join('\n'),
    examples: [
      ['cbos search flaky test', 'both words, in all sessions'],
      ['cbos search \'"no space left"\' --session AUTH', 'exactly these words, in one session'],
      ['cbos search migrate --kind prompt', 'search only what you sent'],
      ['cbos search 数据库 --jq .hits', 'for programs'],
    ],
  })
    .argument('<query...>', 'what to look for')
    .option('--session <name>', 'only in this session')
    .option('--limit <n>', 'at most this many hits', readWhole(1, MAX_HITS))
    .option('--json', 'print the REST body');
  searching.addOption(searching.createOption('--kind <kind>', 'only of this kind').choices(SEARCH_KINDS));
  searching.action(async (words: string[], { json, ...query }: SearchOptions) => {
    const client = await context.client();
    const result = await client.call('search', { query: { q: words.join(' '), ...query } });
    if (json === true) out.json(result);
    else printResult(context, result);
  });
}

function printResult(context: CliContext, { hits, pending_bytes }: SearchResult): void {
  const { out, program } = context;
  for (const hit of hits) {
    const command = commandThere(program, hit);
    const about = [formatDateTime(Date.parse(hit.at)), hit.kind].join('  ');
    out.line(`${out.style('bold', hit.session)}  ${about}${command === null ? '' : `  ${out.style('dim', command)}`}`);
    out.line(`  ${markedSnippet(context, hit)}`);
  }
  if (hits.length === 0) out.notice('nothing found');
  if (pending_bytes > 0) {
    out.notice(`${Math.ceil(pending_bytes / 1_000_000)} MB of recordings are not indexed yet: search again later`);
  }
}

/**
 * Returns the command that shows the place of a hit. For a recording, the command replays from a second earlier, so
 * that the person sees the text appear. For a JSON session, it prints the events from there.
 */
function commandThere(program: string, { session, recording, t, seq }: SearchHit): string | null {
  if (recording === null) return seq === null ? null : `${program} events ${session} --after ${seq - 1}`;
  const from = t === null ? '' : ` --from ${clock(Math.max(0, Math.floor(t) - 1))}`;
  return `${program} replay ${recording}${from}`;
}

/** Formats seconds like `5`, `1:02`, or `1:01:02`. */
function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const first = parts.findIndex((part) => part > 0);
  return parts
    .slice(first === -1 ? 2 : first)
    .map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0')))
    .join(':');
}

function markedSnippet({ out }: CliContext, { snippet, highlights }: SearchHit): string {
  let text = '';
  let done = 0;
  for (const [from, to] of highlights) {
    text += clean(snippet.slice(done, from)) + out.style('yellow', clean(snippet.slice(from, to)));
    done = to;
  }
  return text + clean(snippet.slice(done));
}

function clean(text: string): string {
  return cleanBlock(text).replace(/[\n\u2028\u2029]+/g, ' ');
}
