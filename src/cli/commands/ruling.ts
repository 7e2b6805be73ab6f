import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  type AuditEntry,
  CatalogueError,
  EXIT,
  type NewRule,
  type Rule,
  type RuleBook,
  type RuleEffect,
  type RuleFile,
  type RuleTest,
  tellingField,
} from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { OUTCOME_WORDS, ruleAbout, ruleFileFault, ruleLimits, verdictLine } from '../../text/rule-words.ts';
import { firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { describe } from './command-help.ts';
import { collect, readMoment, readSpan, readWhole } from './option-values.ts';

interface JsonOption {
  json?: boolean;
}

interface AddOptions extends JsonOption {
  tool?: string[];
  command?: string[];
  path?: string[];
  session?: string;
  for?: number;
  count?: number;
  note?: string;
}

interface TestOptions extends JsonOption {
  tool?: string;
  command?: string;
  path?: string;
  session?: string;
}

interface AuditOptions extends JsonOption {
  since?: ReturnType<typeof readMoment>;
  limit?: number;
}

const EFFECTS = ['allow', 'deny', 'ask'] as const satisfies readonly RuleEffect[];
const MOST_COUNT = 1_000_000;
const MOST_ENTRIES = 1_000;

/** `rules` with what is below it, and `audit`. */
export function addRuling(program: Command, context: CliContext): void {
  const rules = describe(program.command('rules'), {
    group: 'talking',
    summary: 'rules that answer permissions in your place',
    more: 'A deny wins, and whatever no rule is sure about asks you. Questions and plans are always yours. Rules are in rules.toml in the home, are added here, or come from a project whose file you trusted; those can only deny and ask. docs/RULES.md has all of it.',
    examples: [
      ['cbos rules', 'every rule, and what is wrong with a file of rules'],
      ["cbos rules add allow --command 'npm test' --session AUTH", 'for one session, until it is deleted'],
      ["cbos rules add deny --command 'git push' --note 'Ask first.'", 'the model is told the note'],
      ["cbos rules add allow --tool Edit --path 'src/**' --for 8h", 'until the evening'],
      ["cbos rules test --command 'git status && npm test'", 'what they would decide, and why'],
      ['cbos rules remove 3f2a91bc', 'take one back'],
      ['cbos rules trust ~/src/shop', 'read what a project denies, and let it count'],
    ],
  });
  addList(rules, context);
  addChanges(rules, context);
  addTest(rules, context);
  addTrust(rules, context);
  addAudit(program, context);
}

function addList(rules: Command, context: CliContext): void {
  const { out } = context;
  rules
    .command('ls', { isDefault: true })
    .alias('list')
    .summary('list the rules')
    .description('List the rules, and what is wrong with a file of rules.')
    .option('--json', 'the REST body')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const book = await client.call('listRules');
      if (options.json === true) return out.json(book);
      if (book.rules.length === 0) out.notice('there is no rule — everything asks you');
      else printRules(context, book.rules);
      noticeFaults(context, book);
    });
}

function noticeFaults({ out }: CliContext, { files }: RuleBook): void {
  for (const file of files) {
    const fault = ruleFileFault(file);
    if (fault !== null) out.notice(fault);
  }
}

function addChanges(rules: Command, context: CliContext): void {
  const { out, io } = context;
  const add = rules.command('add');
  add
    .summary('add a rule')
    .description('Add a rule, for all sessions or for one.')
    .addArgument(add.createArgument('<effect>', 'what it does').choices(EFFECTS))
    .option('--tool <name>', 'of this tool; may be given several times', collect)
    .option('--command <words>', 'of Bash: a simple command; may be given several times', collect)
    .option('--path <path>', 'of tools for files: where; may be given several times', collect)
    .option('--session <name>', 'for this session only; the rule goes with it')
    .option('--for <span>', 'how long it holds: 30m, 8h, 7d', readSpan)
    .option('--count <number>', 'how many calls it allows', readWhole(1, MOST_COUNT))
    .option('--note <text>', 'why; of a deny, what the model is told')
    .option('--json', 'the REST body')
    .action(async (effect: RuleEffect, { json, session, for: spanMs, ...fields }: AddOptions) => {
      const expires = spanMs === undefined ? {} : { expires: new Date(io.now() + spanMs).toISOString() };
      const body: NewRule = { effect, ...fields, ...expires, ...(session === undefined ? {} : { only: session }) };
      const client = await context.client();
      const rule = await client.call('addRule', { body });
      if (json === true) return out.json(rule);
      out.line(`Added as ${rule.id}: ${rule.effect} ${ruleAbout(rule)}`);
      noticeFaults(context, await client.call('listRules'));
    });

  rules
    .command('remove')
    .alias('rm')
    .summary('remove a rule that was added')
    .description('Remove a rule that was added here. Remove a rule of a file in that file.')
    .argument('<id>', 'the rule')
    .option('--json', 'the REST body')
    .action(async (given: string, options: JsonOption) => {
      const client = await context.client();
      const rule = await client.call('removeRule', { params: { id: await findId(context, given) } });
      if (options.json === true) out.json(rule);
      else out.line(`removed: ${rule.effect} ${ruleAbout(rule)}`);
    });
}

function addTest(rules: Command, context: CliContext): void {
  const { out, io } = context;
  rules
    .command('test')
    .summary('what the rules would decide, and why')
    .description('Say what the rules would decide about a call, and why. Nothing runs.')
    .option('--command <text>', 'a shell command, as Claude Code would run it')
    .option('--tool <name>', 'a tool; Bash with --command, Edit with --path when left out')
    .option('--path <path>', 'the file that the tool is for')
    .option('--session <name>', 'as if this session asked; otherwise, one in this directory')
    .option('--json', 'the REST body')
    .action(async ({ json, session, ...call }: TestOptions) => {
      const client = await context.client();
      const where = session === undefined ? { folder: io.cwd } : { session };
      const verdict = await client.call('testRules', { body: { ...callOf(call), ...where } });
      if (json === true) out.json(verdict);
      else out.line(verdictLine(verdict));
    });
}

/** @throws CommandError for a call of nothing */
function callOf({ tool, command, path }: TestOptions): Pick<RuleTest, 'tool' | 'input'> {
  if (command !== undefined) return { tool: tool ?? 'Bash', input: { command } };
  if (path !== undefined) return { tool: tool ?? 'Edit', input: { file_path: path, notebook_path: path, path } };
  if (tool !== undefined) return { tool, input: {} };
  throw new CommandError('There is nothing to test', 'give --command, --path or --tool', EXIT.usage);
}

function addTrust(rules: Command, context: CliContext): void {
  const { out, io } = context;
  rules
    .command('trust')
    .summary("let a project's own rules count")
    .description(
      "Show a project's own rules (.cbos/rules.toml), and let exactly these count. They can only deny and ask.",
    )
    .argument('[path]', 'the project; this directory when left out')
    .option('--yes', 'do not ask')
    .option('--json', 'the REST body')
    .action(async (path: string | undefined, options: JsonOption & { yes?: boolean }) => {
      const folder = resolve(io.cwd, path ?? '.');
      const client = await context.client();
      const { files } = await client.call('listRules', { query: { folder } });
      const file = await requireFile(files, folder);
      if (options.json !== true) out.lines((file.content ?? '').split('\n').map(cleanLine));
      if (options.yes !== true && !(await confirm(context, `Shall these rules of ${file.path} count?`))) {
        return out.notice('nothing was changed');
      }
      const book = await client.call('trustRules', {
        body: { path: file.folder ?? folder, sha256: file.sha256 ?? '' },
      });
      if (options.json === true) out.json(book);
      else out.line(cleanLine(`${file.path} counts, as it is now`));
    });

  rules
    .command('untrust')
    .summary("let a project's own rules count no more")
    .description("Let a project's own rules count no more.")
    .argument('[path]', 'the project; this directory when left out')
    .option('--json', 'the REST body')
    .action(async (path: string | undefined, options: JsonOption) => {
      const client = await context.client();
      const book = await client.call('untrustRules', { body: { path: resolve(io.cwd, path ?? '.') } });
      if (options.json === true) out.json(book);
      else out.line('They count no more');
    });
}

/** @throws CatalogueError no_such_path, invalid_rule */
async function requireFile(files: readonly RuleFile[], folder: string): Promise<RuleFile> {
  const { realpath } = await import('node:fs/promises');
  const real = await realpath(folder).catch(() => folder);
  const file = files.find((one) => one.folder === real);
  if (file?.content == null) throw new CatalogueError('no_such_path', `${folder} has no .cbos/rules.toml to read`);
  if (file.state === 'untrusted' && file.error !== null) {
    throw new CatalogueError('invalid_rule', `${file.path}: ${file.error}`);
  }
  return file;
}

function addAudit(program: Command, context: CliContext): void {
  const { out, io } = context;
  describe(program.command('audit'), {
    group: 'looking',
    summary: 'what rules have decided in your place',
    more: 'Each decision is written down before it is given, with the whole input, and is never changed.',
    examples: [
      ['cbos audit', 'the newest, of all sessions'],
      ['cbos audit AUTH --since 8h', 'of one session, since this morning'],
      ['cbos audit --json', 'with the whole input, the rules and the place in the recording'],
    ],
  })
    .argument('[name]', 'of this session only')
    .option('--since <when>', 'a span such as 8h, or a time', readMoment)
    .option('--limit <number>', 'the newest so many', readWhole(1, MOST_ENTRIES))
    .option('--json', 'the REST body')
    .action(async (session: string | undefined, { since, limit, json }: AuditOptions) => {
      const query = {
        ...(session === undefined ? {} : { session }),
        ...(limit === undefined ? {} : { limit }),
        ...(since === undefined
          ? {}
          : { since: 'at' in since ? since.at : new Date(io.now() - since.agoMs).toISOString() }),
      };
      const client = await context.client();
      const entries = await client.call('audit', { query });
      if (json === true) out.json(entries);
      else if (entries.length === 0) out.notice('rules have decided nothing');
      else printAudit(context, entries);
    });
}

function printRules({ out }: CliContext, rules: readonly Rule[]): void {
  out.table(
    [
      { title: 'ID' },
      { title: 'DOES' },
      { title: 'FROM', worth: 3 },
      { title: 'USED', worth: 2 },
      { title: 'WHERE', keeps: 'start', worth: 1 },
      { title: 'WHAT', keeps: 'start' },
    ],
    rules.map((rule): Cell[] => [
      { text: cleanLine(rule.id), style: 'bold' },
      { text: rule.effect },
      { text: rule.origin },
      { text: String(rule.used) },
      { text: ruleLimits(rule), style: 'dim' },
      { text: ruleAbout(rule) },
    ]),
  );
}

function printAudit({ out, io }: CliContext, entries: readonly AuditEntry[]): void {
  const now = io.now();
  out.table(
    [
      { title: 'AGE' },
      { title: 'NAME', keeps: 'both ends' },
      { title: 'WAS' },
      { title: 'RULES', worth: 1 },
      { title: 'REPLY', worth: 2 },
      { title: 'WHAT', keeps: 'start' },
    ],
    entries.map((entry): Cell[] => [
      { text: formatSince(entry.at, now) },
      { text: cleanLine(entry.session) },
      { text: entry.decision === 'allow' ? 'allowed' : 'denied', style: 'bold' },
      { text: cleanLine(entry.rules.map(({ id }) => id).join(' ')), style: 'dim' },
      { text: OUTCOME_WORDS[entry.outcome] ?? cleanLine(entry.outcome) },
      { text: cleanLine(`${entry.tool}: ${firstLine(tellingField(entry.input) ?? '')}`) },
    ]),
  );
}

/** @throws CatalogueError no_such_rule; CommandError when it may be several */
async function findId(context: CliContext, given: string): Promise<string> {
  const client = await context.client();
  const { rules } = await client.call('listRules');
  const fitting = [...new Set(rules.map(({ id }) => id).filter((id) => given !== '' && id.startsWith(given)))];
  const [first, second] = fitting;
  if (first === undefined) throw new CatalogueError('no_such_rule', `There is no rule ${JSON.stringify(given)}`);
  if (second === undefined || first === given) return first;
  throw new CommandError(`${JSON.stringify(given)} may be ${fitting.length} rules`, 'give more of the id', EXIT.usage);
}
