import type { Command } from 'commander';
import {
  isSlug,
  type RemoteName,
  SEARCH_KINDS,
  type SearchHit,
  type SearchKind,
  type SearchResult,
  splitRemoteName,
} from '../../protocol/index.ts';
import { formatDateTime } from '../../text/durations.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import type { FleetHit } from '../search-fleet.ts';
import { describe } from './command-help.ts';
import { readWhole } from './option-values.ts';

/** The maximum number of hits that the server returns. */
const MAX_HITS = 500;

interface SearchOptions {
  session?: string;
  kind?: SearchKind;
  limit?: number;
  fleet?: boolean;
  json?: boolean;
}

/** Adds `search`. */
export function addSearching(program: Command, context: CliContext): void {
  const { out } = context;

  const searching = describe(program.command('search'), {
    group: 'looking',
    summary: 'search everything that sessions showed and said',
    more: [
      'The newest hits come first. All words must occur, each as a whole word or as the beginning of one; words "in quotes" must occur exactly.',
      'Each hit comes with a command that replays the session from that point or, for a JSON session, prints the events after it.',
      "With --fleet, every machine searches its own sessions. Times are those of that machine's clock.",
    ].join('\n'),
    examples: [
      ['cbos search flaky test', 'search all sessions for both words'],
      ['cbos search \'"no space left"\' --session AUTH', 'search one session for exactly these words'],
      ['cbos search migrate --kind prompt', 'search only what you sent'],
      ['cbos search migrate --fleet', 'search all machines in the fleet'],
      ['cbos search 数据库 --jq .hits', 'print only the hits, as JSON'],
    ],
  })
    .argument('<query...>', 'what to look for')
    .option('--session <name>', 'only in this session, which may be machine/NAME')
    .option('--limit <n>', 'at most this many hits', readWhole(1, MAX_HITS))
    .option('--fleet', 'search all machines in the fleet')
    .option('--json', 'print the API response as JSON; with --fleet, one per machine');
  searching.addOption(searching.createOption('--kind <kind>', 'only hits of this kind').choices(SEARCH_KINDS));
  searching.action(async (words: string[], { json, fleet, ...options }: SearchOptions) => {
    const query = { q: words.join(' '), ...options };
    if (fleet === true && options.session !== undefined) {
      throw new UsageError('--fleet and --session cannot be combined', 'cbos search --session machine/NAME');
    }
    const remote = options.session === undefined ? null : splitRemoteName(options.session);
    if (fleet === true || remote !== null) return searchElsewhere(context, { query, remote, json });
    const client = await context.client();
    const result = await client.call('search', { query });
    if (json === true) return out.json(result);
    printHits(
      context,
      result.hits.map((hit) => ({ ...hit, machine: null })),
    );
    printPending(context, result);
  });
}

interface Elsewhere {
  query: Omit<SearchOptions, 'fleet' | 'json'> & { q: string };
  /** the session to search, or null to search all machines */
  remote: RemoteName | null;
  json: boolean | undefined;
}

/** Searches all machines, or one session on another machine. */
async function searchElsewhere(context: CliContext, { query, remote, json }: Elsewhere): Promise<void> {
  const { out } = context;
  const { joinHits, searchFarSession, searchFleet } = await import('../search-fleet.ts');
  const machines =
    remote === null ? await searchFleet(context, query) : [await searchFarSession(context, remote, query)];
  if (json === true) return out.json(remote === null ? machines : machines[0]);
  printHits(context, joinHits(machines).slice(0, query.limit ?? MAX_HITS));
  for (const { machine, fault, ...result } of machines) {
    if (fault === null) printPending(context, result);
    else out.notice(`${cleanLine(machine)} was not searched: ${cleanLine(fault)}`);
  }
}

function printHits(context: CliContext, hits: readonly FleetHit[]): void {
  const { out, program } = context;
  for (const hit of hits) {
    const command = commandThere(program, hit);
    const about = [formatDateTime(Date.parse(hit.at)), hit.kind].join('  ');
    const name = cleanLine(hit.machine === null ? hit.session : `${hit.machine}/${hit.session}`);
    out.line(`${out.style('bold', name)}  ${about}${command === null ? '' : `  ${out.style('dim', command)}`}`);
    out.line(`  ${markedSnippet(context, hit)}`);
  }
  if (hits.length === 0) out.notice('nothing found');
}

function printPending({ out }: CliContext, { pending_bytes }: Pick<SearchResult, 'pending_bytes'>): void {
  if (pending_bytes > 0) {
    out.notice(`${Math.ceil(pending_bytes / 1_000_000)} MB of recordings are not indexed yet; search again later`);
  }
}

/**
 * Returns the command that shows a hit in context. For a recording, the command starts the replay one second before the
 * hit, so that the user sees the text appear. For a JSON session, it prints the events from the hit onwards.
 */
function commandThere(program: string, hit: FleetHit): string | null {
  const { session, recording, t, seq, machine } = hit;
  const from = t === null ? '' : ` --from ${clock(Math.max(0, Math.floor(t) - 1))}`;
  if (machine !== null) {
    // Another machine may send anything. A name that is not a slug could be any command.
    const isRecording = recording !== null && isSlug(recording.replace(/\.\d+$/, ''));
    if (isRecording) return `${program} replay ${machine}/${recording}${from}`;
    return isSlug(session) ? `${program} show ${machine}/${session}` : null;
  }
  if (recording === null) return seq === null ? null : `${program} events ${session} --after ${seq - 1}`;
  return `${program} replay ${recording}${from}`;
}

/** Formats seconds as `5`, `1:02`, or `1:01:02`. */
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
