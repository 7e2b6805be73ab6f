import { asText, cell } from './schema-words.mjs';

/** @typedef {import('./command-tree.mjs').CommandEntry} CommandEntry */

const INTRODUCTION = `# Every command

This page lists all commands of \`cbos\`, with their arguments and options. \`cbos help COMMAND\` prints the same text in a
terminal, and \`man cbos-COMMAND\` shows it as a manual page. For a short overview, see [The command line](../COMMANDS.md).

\`npm run generate\` writes this page from the commands' help. \`npm run check\` fails if the page is out of date.
`;

/**
 * Returns the page that lists all commands.
 * @param {CommandEntry} root
 * @returns {string} Markdown
 */
export function commandsPage(root) {
  const lines = [INTRODUCTION];
  let group = '';
  for (const entry of inGroups(root.below)) {
    if (entry.group !== null && entry.group !== group) {
      group = entry.group;
      lines.push(`## ${group}`, '');
    }
    lines.push(...sectionOf(entry, '###'));
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

/**
 * Sorts commands by group. As in the main help, groups are in the order in which they first occur.
 * @param {readonly CommandEntry[]} entries
 */
export function inGroups(entries) {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return groups.flatMap((group) => entries.filter((entry) => entry.group === group));
}

/** @param {CommandEntry} entry @param {string} heading @returns {string[]} */
function sectionOf(entry, heading) {
  const { name, aliases, usages, description, args, options, examples, below } = entry;
  const also =
    aliases.length === 0 ? [] : [`Also called ${aliases.map((alias) => `\`cbos ${alias}\``).join(', ')}.`, ''];
  return [
    `${heading} cbos ${name}`,
    '',
    ...['```text', ...usages.map((usage) => `cbos ${usage}`), '```', ''],
    ...description.split('\n').flatMap((paragraph) => [asText(paragraph), '']),
    ...also,
    ...table('argument', args),
    ...table(
      'option',
      options.filter(({ term }) => term !== '-h, --help'),
    ),
    ...exampleLines(examples),
    ...below.flatMap((one) => sectionOf(one, `${heading}#`)),
  ];
}

/** @param {string} head @param {CommandEntry['options']} terms @returns {string[]} */
function table(head, terms) {
  if (terms.length === 0) return [];
  const rows = terms.map(({ term, about }) => `| \`${cell(term)}\` | ${cell(asText(about))} |`);
  return [`| ${head} | meaning |`, '|---|---|', ...rows, ''];
}

/** @param {CommandEntry['examples']} examples @returns {string[]} */
function exampleLines(examples) {
  if (examples.length === 0) return [];
  const width = Math.max(...examples.map(([line]) => line.length));
  return ['```sh', ...examples.map(([line, does]) => `${line.padEnd(width)}  # ${does}`), '```', ''];
}
