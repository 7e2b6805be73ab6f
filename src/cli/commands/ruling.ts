import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  CatalogueError,
  type NewRule,
  type Rule,
  type RuleBook,
  type RuleEffect,
  type RuleFile,
  type RuleTest,
} from '../../protocol/index.ts';
import { ruleAbout, ruleFileFault, ruleFlaw, ruleLimits, ruleUnread, verdictLine } from '../../text/rule-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { describe, type JsonOption } from './command-help.ts';
import { collect, readSpan, readWhole } from './option-values.ts';
import { addSuggest } from './suggesting-rules.ts';

interface AddOptions extends JsonOption {
  tool?: string[];
  command?: string[];
  path?: string[];
  project?: string;
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

const EFFECTS = ['allow', 'deny', 'ask'] as const satisfies readonly RuleEffect[];
const MOST_COUNT = 1_000_000;

/** Adds `rules` and its subcommands. */
export function addRuling(program: Command, context: CliContext): void {
  const rules = describe(program.command('rules'), {
    group: 'talking',
    summary: 'manage rules that answer permission requests for you',
    more: "A deny rule always wins. If no rule clearly applies, the session asks you. You always answer questions and plans yourself. Rules come from rules.toml in the home, from this command, or from a project whose rules you trust. A project's rules can only deny and ask. See docs/RULES.md.",
    examples: [
      ['cbos rules', 'list every rule, and the errors in each rules file'],
      [
        "cbos rules add allow --command 'npm test' --session AUTH",
        'allow a command in one session, until the session is deleted',
      ],
      ["cbos rules add deny --command 'git push' --note 'Ask first.'", 'deny pushes; the model sees the note'],
      ["cbos rules add allow --tool Edit --path 'src/**' --for 8h", 'allow edits in src for the next 8 hours'],
      ["cbos rules test --command 'git status && npm test'", 'show what the rules would decide, and why'],
      ['cbos rules suggest', 'suggest rules for what you allowed repeatedly; none takes effect on its own'],
      ['cbos rules remove 3f2a91bc', 'remove a rule'],
      ['cbos rules trust ~/src/shop', "read a project's rules, and trust them"],
    ],
  });
  addList(rules, context);
  addChanges(rules, context);
  addTest(rules, context);
  addSuggest(rules, context);
  addTrust(rules, context);
}

function addList(rules: Command, context: CliContext): void {
  const { out } = context;
  rules
    .command('ls', { isDefault: true })
    .alias('list')
    .summary('list the rules')
    .description('List the rules, and the errors in each rules file.')
    .option('--json', 'print the API response as JSON')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const book = await client.call('listRules');
      if (options.json === true) return out.json(book);
      if (book.rules.length === 0) out.notice('no rules yet — every permission request comes to you');
      else printRules(context, book.rules);
      noticeFaults(context, book);
      noticeFlaws(context, book);
    });
}

function noticeFlaws({ out }: CliContext, { rules }: RuleBook): void {
  for (const rule of rules) {
    const flaw = ruleFlaw(rule);
    if (flaw !== null) out.notice(`the rule ${rule.id} ${flaw}`);
  }
}

/** Names the rules about a program of this command line whose options CBOS cannot read. */
function noticeUnread({ out }: CliContext, { rules }: RuleBook, command: string): void {
  const words = command.split(/[\s;|&()]+/);
  for (const rule of rules) {
    const about = rule.without_table.filter((pattern) => words.includes(pattern.split(' ')[0] ?? ''));
    const unread = ruleUnread({ ...rule, without_table: about });
    if (unread !== null) out.notice(`the rule ${rule.id} ${unread}`);
  }
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
    .description('Add a rule for all sessions or for one.')
    .addArgument(add.createArgument('<effect>', 'what the rule does').choices(EFFECTS))
    .option('--tool <name>', 'only calls of this tool; may be repeated', collect)
    .option('--command <words>', 'for Bash: a simple command; may be repeated', collect)
    .option('--path <path>', 'for tools that use files: the path; may be repeated', collect)
    .option('--project <path>', 'only for sessions in this folder or below')
    .option('--session <name>', 'only for this session; the rule is deleted with it')
    .option('--for <span>', 'how long the rule is valid: 30m, 8h, 7d', readSpan)
    .option('--count <number>', 'how many calls the rule allows', readWhole(1, MOST_COUNT))
    .option('--note <text>', 'the reason; the model sees it if the rule denies a call')
    .option('--json', 'print the API response as JSON')
    .action(async (effect: RuleEffect, { json, session, project, for: spanMs, ...fields }: AddOptions) => {
      const expires = spanMs === undefined ? {} : { expires: new Date(io.now() + spanMs).toISOString() };
      const where = project === undefined ? {} : { project: resolve(io.cwd, project) };
      const body: NewRule = {
        effect,
        ...fields,
        ...where,
        ...expires,
        ...(session === undefined ? {} : { only: session }),
      };
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
    .description('Remove a rule that `cbos rules add` added. To remove any other rule, edit its file.')
    .argument('<id>', 'the rule')
    .option('--json', 'print the API response as JSON')
    .action(async (given: string, options: JsonOption) => {
      const client = await context.client();
      const rule = await client.call('removeRule', { params: { id: await findId(context, given) } });
      out.result(options.json, rule, `removed: ${rule.effect} ${ruleAbout(rule)}`);
    });
}

function addTest(rules: Command, context: CliContext): void {
  const { out, io } = context;
  rules
    .command('test')
    .summary('show what the rules would decide, and why')
    .description('Show what the rules would decide about a call, and why. Nothing runs.')
    .option('--command <text>', 'a shell command, as Claude Code would run it')
    .option('--tool <name>', 'the tool; default: Bash with --command, Edit with --path')
    .option('--path <path>', 'the file that the tool would use')
    .option('--session <name>', 'as if this session asked; default: a session in this directory')
    .option('--json', 'print the API response as JSON')
    .action(async ({ json, session, ...call }: TestOptions) => {
      const client = await context.client();
      const where = session === undefined ? { folder: io.cwd } : { session };
      const verdict = await client.call('testRules', { body: { ...callOf(call), ...where } });
      if (json === true) return out.json(verdict);
      out.line(verdictLine(verdict));
      const book = await client.call('listRules', { query: { folder: io.cwd } });
      noticeFlaws(context, book);
      noticeUnread(context, book, call.command ?? '');
    });
}

/** @throws CommandError if the user did not specify a tool call */
function callOf({ tool, command, path }: TestOptions): Pick<RuleTest, 'tool' | 'input'> {
  if (command !== undefined) return { tool: tool ?? 'Bash', input: { command } };
  if (path !== undefined) return { tool: tool ?? 'Edit', input: { file_path: path, notebook_path: path, path } };
  if (tool !== undefined) return { tool, input: {} };
  throw new UsageError('Name a call to test', 'use --command, --path or --tool');
}

function addTrust(rules: Command, context: CliContext): void {
  const { out, io } = context;
  rules
    .command('trust')
    .summary("apply a project's own rules")
    .description(
      "Show a project's own rules (.cbos/rules.toml), and apply exactly these rules. They can only deny and ask.",
    )
    .argument('[path]', 'the project; default: this directory')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action(async (path: string | undefined, options: JsonOption & { yes?: boolean }) => {
      const folder = resolve(io.cwd, path ?? '.');
      const client = await context.client();
      const { files } = await client.call('listRules', { query: { folder } });
      const file = await requireFile(files, folder);
      if (options.json !== true) out.lines((file.content ?? '').split('\n').map(cleanLine));
      if (options.yes !== true && !(await confirm(context, `Apply these rules from ${file.path}?`))) {
        return out.notice('nothing was changed');
      }
      const book = await client.call('trustRules', {
        body: { path: file.folder ?? folder, sha256: file.sha256 ?? '' },
      });
      out.result(options.json, book, cleanLine(`the rules in ${file.path} apply from now on, exactly as shown`));
    });

  rules
    .command('untrust')
    .summary("stop applying a project's own rules")
    .description("Stop applying a project's own rules.")
    .argument('[path]', 'the project; default: this directory')
    .option('--json', 'print the API response as JSON')
    .action(async (path: string | undefined, options: JsonOption) => {
      const client = await context.client();
      const book = await client.call('untrustRules', { body: { path: resolve(io.cwd, path ?? '.') } });
      out.result(options.json, book, 'The rules no longer apply');
    });
}

/** @throws CatalogueError no_such_path, invalid_rule */
async function requireFile(files: readonly RuleFile[], folder: string): Promise<RuleFile> {
  const { realpath } = await import('node:fs/promises');
  const real = await realpath(folder).catch(() => folder);
  const file = files.find((one) => one.folder === real);
  if (file === undefined) throw new CatalogueError('no_such_path', `${folder} has no .cbos/rules.toml`);
  if (file.state === 'changed' && file.content === null) {
    const hint = `restore the file, or stop applying its rules: cbos rules untrust ${folder}`;
    throw new CatalogueError('invalid_rule', `${file.path}: ${file.error}`, { hint });
  }
  if (file.content === null || (file.state === 'untrusted' && file.error !== null)) {
    throw new CatalogueError('invalid_rule', `${file.path}: ${file.error}`);
  }
  return file;
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
      { text: ruleFlaw(rule) === null ? rule.effect : `${rule.effect} (never)` },
      { text: rule.origin },
      { text: String(rule.used) },
      { text: ruleLimits(rule), style: 'dim' },
      { text: ruleAbout(rule) },
    ]),
  );
}

/** @throws CatalogueError no_such_rule; CommandError if several rules match */
async function findId(context: CliContext, given: string): Promise<string> {
  const client = await context.client();
  const { rules } = await client.call('listRules');
  const fitting = [...new Set(rules.map(({ id }) => id).filter((id) => given !== '' && id.startsWith(given)))];
  const [first, second] = fitting;
  if (first === undefined) throw new CatalogueError('no_such_rule', `No rule has the id ${JSON.stringify(given)}`);
  if (second === undefined || first === given) return first;
  throw new UsageError(`${JSON.stringify(given)} matches ${fitting.length} rules`, 'type more characters of the id');
}
