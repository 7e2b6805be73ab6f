import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { sourceFiles } from './source-files.mjs';

/** The maximum width of a comment. Editors and review tools cut off a wider comment, so nobody reads it. */
const MAX_COLUMNS = 120;

/**
 * Phrases that readers stumble over, each with a replacement. docs/STYLE.md gives the reasons. The list only grows.
 */
const BANNED = [
  {
    turn: /(?:^|[.!?:] )So (?:long|many|much|often|late|soon) (?!as\b|that\b|far\b)/,
    better: 'begin with "How long", "How many", …',
  },
  { turn: /\bat the most\b/i, better: '"at most"' },
  { turn: /\b(?:for|by) who (?!(?:is|was) )/, better: '"for a caller that", "for a reader that"' },
  {
    turn: /\b(?:it|they|keyboard|session|version) (?:has|have) not[.,;:]/i,
    better: '"lacks", or the verb that is left out',
  },
  { turn: /\b(?:stands?|stood|standing) in the (?:prompt|box|field)\b/i, better: '"is in the prompt"' },
  { turn: /\b(?:is|was|are|were) told of\b/i, better: '"learns of", "is reported"' },
  { turn: /\bfor ever\b/i, better: '"forever"' },
  { turn: /\bmeanwhile\b/i, better: '"in that time", "until then", "by now"' },
  { turn: /\b(?:says?|tells?) nothing of\b/i, better: '"says nothing about", "does not report"' },
  { turn: /\btells? of\b/i, better: '"reports"' },
  { turn: /\bon (?:its|their|the same) conversations?\b/i, better: '"with its conversation", "continues"' },
  { turn: /\bthere is nothing that\b/i, better: '"nothing …"' },
  { turn: /\blets? itself\b/i, better: '"can be"' },
  { turn: /\bthe newest so many\b/i, better: '"at most this many, the newest"' },
  { turn: /\bis no (?:page|address|tag|program|place|whole|regular)\b/i, better: '"isn\'t a …"' },
  { turn: /\bwhen left out\b/i, better: '"by default", "default: …"' },
  { turn: /\b(?:go|goes|going|went) on(?:[.,;:]| with\b| after\b)/i, better: '"continues"' },
  { turn: /\bsays? so[.,;:]/i, better: '"reports it", "prints that …"' },
  { turn: /\bfor good\b/i, better: '"permanently"' },
  { turn: /\bput aside\b/i, better: '"set aside", "moved to …"' },
  { turn: /\bto the letter\b/i, better: '"exactly", "unchanged"' },
  { turn: /\bby (?:itself|themselves)\b/i, better: '"automatically", "on its own", "alone"' },
  { turn: /\bexcludes? each other\b/i, better: '"cannot be combined"' },
  { turn: /\bwhat lost\b/i, better: '"rejected options"' },
  { turn: /\bthe present (?!tense\b)\w/i, better: '"the current …"' },
  { turn: /\bin vain\b/i, better: '"without success", "to no effect"' },
  { turn: /\bin (?:the )?place of\b/i, better: '"instead of", "on behalf of"' },
  { turn: /\bat rest\b/i, better: '"idle"' },
  { turn: /\brecognis/i, better: '"recognize"' },
  { turn: /\bstands? (?:behind|beside|before|above|below|under)\b/i, better: '"is behind", "follows", "precedes"' },
];

/** A string that is a sentence: the name of a test, an error message, the text of a setting in a configuration file. */
const SENTENCE = /'((?:[^'\\]|\\.)+)'|`([^`]+)`|"([^"]+)"/g;
const WORDS_OF_A_SENTENCE = 4;
const TEST_NAME = /\b(?:test|describe)(?:\.\w+)*\(/;
/** Migrations are never changed after they have run, and the tests of this check quote what it refuses. */
const UNREAD = /^(src\/platform\/sqlite\/migrations\/|test\/setup\/gate\.test\.ts|scripts\/check\/plain-words\.mjs)/;
const CONFIGURATION = ['vitest.config.ts', '.dependency-cruiser.cjs'];

const COMMENT = /^\s*(?:\/\/|\/\*|\*(?!\*))/;
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/**
 * Returns the comments, names of tests, messages and pages that are hard to read, as far as a program can detect that.
 * @param {string} [root]
 * @returns {string[]} one line per place
 */
export function wordComplaints(root = ROOT) {
  const configuration = CONFIGURATION.filter((file) => existsSync(join(root, file)));
  const lines = [...sourceFiles(root), ...configuration].flatMap((file) =>
    linesOf(root, file).flatMap((line, index) => {
      const place = `${file}:${index + 1}`;
      if (!COMMENT.test(line)) return isProse(file, line) ? bannedIn(sentencesIn(line), place) : [];
      const wide =
        [...line].length > MAX_COLUMNS
          ? [`${place}: a comment of ${[...line].length} columns; ${MAX_COLUMNS} is the limit`]
          : [];
      return [...wide, ...bannedIn(line.replace(/^\s*(?:\/\/|\/\*\*?|\*)\s?/, ''), place)];
    }),
  );
  const pages = [...PAGES, ...documentation(root)].flatMap((file) =>
    linesOf(root, file).flatMap((line, index) => bannedIn(unquoted(line), `${file}:${index + 1}`)),
  );
  return [...lines, ...pages];
}

/**
 * Reports whether the strings in this line are read by people. In tests, only the names of the tests are: other strings
 * are prompts and screens.
 * @param {string} file @param {string} line
 */
const isProse = (file, line) => !UNREAD.test(file) && (!file.startsWith('test/') || TEST_NAME.test(line));

/** Returns the strings in a line that are sentences. @param {string} line */
function sentencesIn(line) {
  return [...line.matchAll(SENTENCE)]
    .map(([, ...forms]) => forms.find((form) => form !== undefined) ?? '')
    .filter((text) => text.split(' ').length >= WORDS_OF_A_SENTENCE)
    .join('\n');
}

/** Returns the pages of the documentation, except the style guide, which shows what is banned. @param {string} root */
function documentation(root) {
  return readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'STYLE.md')
    .map((name) => `docs/${name}`);
}

/** Removes quotations from a line of a page, such as the name of a test. @param {string} line */
function unquoted(line) {
  return line.replaceAll(/"[^"]*"/g, '""');
}

/** @param {string} text @param {string} place @returns {string[]} */
export function bannedIn(text, place) {
  return BANNED.flatMap(({ turn, better }) => {
    const found = turn.exec(text);
    return found === null ? [] : [`${place}: "${found[0].trim()}": write ${better}`];
  });
}

/** @param {string} root @param {string} file @returns {string[]} */
const linesOf = (root, file) => readFileSync(join(root, file), 'utf8').split('\n');
