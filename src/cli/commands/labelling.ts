import type { Command } from 'commander';
import { isSelective, isTag, type Session, TAG_RULE } from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { forEach } from '../for-each.ts';
import { chosenSessions, type SelectorOptions, selectorOf } from '../selectors.ts';
import { describe, type JsonOption } from './command-help.ts';
import { addSelectors } from './selector-options.ts';

/** Adds `tag`, `untag`, `archive`, and `unarchive`. */
export function addLabelling(program: Command, context: CliContext): void {
  const tag = describe(program.command('tag'), {
    group: 'looking',
    summary: 'add tags to sessions, or list all tags',
    more: "A tag is a word that you choose: letters, digits, ., - and _. `cbos ls`, `send`, `wait`, `stop` and `draft add` can select sessions by tag. A session's first tag is its group in `cbos ls --group tag`.",
    examples: [
      ['cbos tag', 'list all tags, and how many sessions have each'],
      ['cbos tag AUTH night risky', 'add two tags to AUTH'],
      ['cbos tag --repo shop night', 'tag all sessions in a repository'],
      ['cbos ls --tag night', 'list the sessions with the tag'],
    ],
  })
    .usage(
      '[options] <name> <tag...>\n       cbos tag [options] --state <state>|--tag <tag>|--repo <name> <tag...>\n       cbos tag',
    )
    .argument('[name]', 'the session')
    .argument('[tag...]', 'the tags');
  addSelectors(tag, 'for')
    .option(
      '--json',
      'print the API responses as JSON, one per line; without arguments, an object with the count of each tag',
    )
    .action(async (name: string | undefined, words: string[], options: SelectorOptions & JsonOption) => {
      if (name === undefined && !isSelective(selectorOf(context, options))) return listTags(context, options);
      await edit(context, { name, words, options, command: 'tag' });
    });

  const untag = describe(program.command('untag'), {
    group: 'looking',
    summary: 'remove tags from sessions',
    examples: [
      ['cbos untag AUTH night', 'remove one tag; AUTH keeps its other tags'],
      ['cbos untag --tag night night', 'remove the tag from all sessions'],
    ],
  })
    .usage('[options] <name> <tag...>\n       cbos untag [options] --state <state>|--tag <tag>|--repo <name> <tag...>')
    .argument('[name]', 'the session')
    .argument('[tag...]', 'the tags');
  addSelectors(untag, 'from')
    .option('--json', 'print the API responses as JSON, one per line')
    .action((name: string | undefined, words: string[], options: SelectorOptions & JsonOption) =>
      edit(context, { name, words, options, command: 'untag' }),
    );

  const archive = describe(program.command('archive'), {
    group: 'looking',
    summary: 'hide stopped or parked sessions from all lists',
    more: 'Nothing is deleted: search, history and replay still find the sessions, and commands still accept their names. `cbos unarchive` lists them again. A session that is started again is listed automatically.',
    examples: [
      ['cbos archive AUTH', 'remove AUTH from every list and count'],
      ['cbos archive --state stopped', 'archive all stopped sessions'],
      ['cbos ls --archived', 'list the archived sessions'],
    ],
  }).argument('[name...]', 'the sessions');
  addSelectors(archive, 'archive')
    .option('--json', 'print the API responses as JSON, one per line')
    .action(async (names: string[], options: SelectorOptions & JsonOption) => {
      const fits = ({ status, parked_at }: Session): boolean => status.primary === 'dead' || parked_at != null;
      const { slugs } = await chosenSessions(context, { names, options, command: 'archive', fits });
      await callEach(context, slugs, { route: 'archiveSession', said: 'archived', ...options });
    });

  describe(program.command('unarchive'), {
    group: 'looking',
    summary: 'list archived sessions again',
    examples: [['cbos unarchive AUTH', 'list AUTH as before']],
  })
    .argument('<name...>', 'the sessions')
    .option('--json', 'print the API responses as JSON, one per line')
    .action((names: string[], options: JsonOption) =>
      callEach(context, names, { route: 'unarchiveSession', said: 'listed again', ...options }),
    );
}

type Call = JsonOption & { route: 'archiveSession' | 'unarchiveSession'; said: string };

async function callEach(context: CliContext, slugs: readonly string[], { route, said, json }: Call): Promise<void> {
  const client = await context.client();
  await forEach(context, slugs, async (slug) => {
    const session = await client.call(route, { params: { slug } });
    if (json === true) context.out.jsonLine(session);
    else context.out.line(`${slug}: ${said}`);
  });
}

interface Edit {
  name: string | undefined;
  words: readonly string[];
  options: SelectorOptions & JsonOption;
  command: 'tag' | 'untag';
}

async function edit(context: CliContext, { name, words, options, command }: Edit): Promise<void> {
  const isSelected = isSelective(selectorOf(context, options));
  // If sessions are selected by options, none is named, so the first word is a tag.
  const tags = isSelected && name !== undefined ? [name, ...words] : words;
  const wrong = tags.find((word) => !isTag(word));
  if (tags.length === 0) throw usage("Missing required argument 'tag'", command);
  if (wrong !== undefined) throw usage(`${JSON.stringify(wrong)} isn't a tag: ${TAG_RULE}`, command);
  const names = isSelected || name === undefined ? [] : [name];
  const { slugs } = await chosenSessions(context, { names, options, command });
  const client = await context.client();
  await forEach(context, slugs, async (slug) => {
    const body = command === 'tag' ? { add: [...tags] } : { remove: [...tags] };
    const session = await client.call('tagSession', { params: { slug }, body });
    if (options.json === true) context.out.jsonLine(session);
    else context.out.line(`${slug}: ${session.tags.map(cleanLine).join(' ') || 'no tag'}`);
  });
}

function usage(message: string, command: string): UsageError {
  return new UsageError(message, `cbos ${command} --help`);
}

async function listTags({ out, client }: CliContext, { json }: JsonOption): Promise<void> {
  const sessions = await (await client()).call('listSessions');
  const counts = new Map<string, number>();
  for (const tag of sessions.flatMap(({ tags }) => tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const inOrder = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  if (json === true) return out.json(Object.fromEntries(inOrder));
  if (inOrder.length === 0) return out.notice('no session has a tag — cbos tag NAME TAG');
  out.table(
    [{ title: 'TAG' }, { title: 'SESSIONS' }],
    inOrder.map(([tag, count]) => [{ text: cleanLine(tag), style: 'bold' }, { text: String(count) }]),
  );
}
