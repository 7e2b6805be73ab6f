import { inGroups } from './commands-page.mjs';

/** @typedef {import('./command-tree.mjs').CommandEntry} CommandEntry */

/** The text that `cbos --help` shows below the commands. */
const EXIT_STATUSES = [
  ['0', 'done'],
  ['1', 'failed'],
  ['2', 'wrong usage'],
  ['3', 'no such session'],
  ['4', 'refused in this state'],
  ['5', 'no server'],
  ['6', 'timed out'],
];

/**
 * Returns the pages of the manual: `cbos.1` and, like `git-log.1`, one page for each command, which includes the
 * command's subcommands.
 * @param {CommandEntry} root
 * @param {string} version
 * @returns {Record<string, string>} roff by file name
 */
export function manPages(root, version) {
  const commands = inGroups(root.below);
  return Object.fromEntries([
    ['cbos.1', mainPage({ ...root, below: commands }, version)],
    ...commands.map((entry) => [`cbos-${entry.name}.1`, commandPage(entry, version)]),
  ]);
}

/** @param {CommandEntry} root @param {string} version */
function mainPage(root, version) {
  const groups = [...new Set(root.below.map(({ group }) => group))];
  return page([
    ...header('cbos', 'run, watch and answer many Claude Code sessions side by side', version),
    '.SH SYNOPSIS',
    '.B cbos',
    '.RI [ command ]',
    '.SH DESCRIPTION',
    'Without a command,',
    '.B cbos',
    'starts the server where it does not run yet, and opens the terminal UI.',
    ...groups.flatMap((group) => [
      `.SH ${roff((group ?? '').toUpperCase())}`,
      ...root.below
        .filter((entry) => entry.group === group)
        .flatMap(({ name, summary }) => ['.TP', `.BR cbos\\-${roff(name)} (1)`, text(summary)]),
    ]),
    ...options(root.options),
    '.SH EXIT STATUS',
    ...EXIT_STATUSES.flatMap(([code = '', meaning = '']) => ['.TP', `.B ${code}`, text(meaning)]),
    '.SH FILES',
    '.TP',
    '.I ~/.cbos',
    'The home of CBOS: its database, token and log. The variable CBOS_HOME names another one.',
    '.TP',
    '.I ~/.cbos/config.toml',
    'Settings. See',
    '.BR cbos\\-config (1).',
  ]);
}

/** @param {CommandEntry} entry @param {string} version */
function commandPage(entry, version) {
  return page([
    ...header(`cbos-${entry.name}`, entry.summary, version),
    ...body(entry),
    ...entry.below.flatMap((one) => [`.SH ${roff(`cbos ${one.name}`.toUpperCase())}`, ...section(one)]),
    '.SH SEE ALSO',
    '.BR cbos (1)',
  ]);
}

/** @param {CommandEntry} entry @returns {string[]} the sections of a command's own page */
function body({ usages, description, aliases, args, options: own, examples }) {
  return [
    '.SH SYNOPSIS',
    ...usages.flatMap((usage, index) => [...(index === 0 ? [] : ['.br']), bold(`cbos ${usage}`)]),
    '.SH DESCRIPTION',
    ...paragraphs(description),
    ...(aliases.length === 0
      ? []
      : ['.PP', text(`Also called ${aliases.map((alias) => `cbos ${alias}`).join(', ')}.`)]),
    ...(args.length === 0 ? [] : ['.SH ARGUMENTS', ...terms(args, 'I')]),
    ...options(own),
    ...(examples.length === 0 ? [] : ['.SH EXAMPLES', ...exampleLines(examples)]),
  ];
}

/** @param {CommandEntry} entry @returns {string[]} a subcommand, within one section */
function section({ usages, description, args, options: own, below }) {
  return [
    ...usages.flatMap((usage, index) => [...(index === 0 ? [] : ['.br']), bold(`cbos ${usage}`)]),
    '.PP',
    ...paragraphs(description),
    ...terms(args, 'I'),
    ...terms(withoutHelp(own), 'B'),
    ...below.flatMap((one) => [`.SS ${roff(`cbos ${one.name}`)}`, ...section(one)]),
  ];
}

/** @param {string} name @param {string} summary @param {string} version */
function header(name, summary, version) {
  return [
    '.\\" Written by `npm run generate` from the help of the commands.',
    `.TH ${roff(name.toUpperCase())} 1 "" "CBOS ${version}" "CBOS"`,
    // Manual pages are read in a terminal, so do not hyphenate words or justify lines.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${roff(name)} \\- ${text(summary)}`,
  ];
}

/** @param {CommandEntry['options']} own */
function options(own) {
  return own.length === 0 ? [] : ['.SH OPTIONS', ...terms(own, 'B')];
}

/** @param {CommandEntry['options']} own */
function withoutHelp(own) {
  return own.filter(({ term }) => term !== '-h, --help');
}

/** @param {CommandEntry['options']} list @param {'B' | 'I'} font @returns {string[]} */
function terms(list, font) {
  return list.flatMap(({ term, about }) => ['.TP', `.${font} "${roff(term)}"`, text(about)]);
}

/** @param {string} description @returns {string[]} */
function paragraphs(description) {
  return description.split('\n').flatMap((one, index) => [...(index === 0 ? [] : ['.PP']), text(one)]);
}

/** @param {CommandEntry['examples']} examples @returns {string[]} */
function exampleLines(examples) {
  return examples.flatMap(([line, does]) => ['.TP', bold(line), text(does)]);
}

/** @param {string} words */
function bold(words) {
  return `.B "${roff(words)}"`;
}

/**
 * Returns a line of running text. Without escaping, a line that begins with a dot or a quote would be interpreted as a
 * command.
 * @param {string} words
 */
function text(words) {
  const escaped = roff(words.replaceAll('`', ''));
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

/**
 * Escapes characters that have a special meaning in roff. Otherwise, for example, a plain hyphen would become a
 * typographic one.
 * @param {string} words
 */
function roff(words) {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll('`', '\\(ga')
    .replaceAll(
      /[^\x20-\x7e]/gu,
      (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

/** @param {readonly string[]} lines */
function page(lines) {
  return `${lines.join('\n')}\n`;
}
