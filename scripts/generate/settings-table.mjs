import { cell } from './schema-words.mjs';

const BEGIN = '<!-- The table is written by `npm run generate` from src/protocol/setting-rows.ts. -->';
const END = '<!-- The end of the generated table. -->';

/** What happens if no value is set, for settings that have no default. @type {Readonly<Record<string, string>>} */
const WITHOUT_VALUE = {
  token: 'generated',
  default_type: '`json`; `screen` in `cbos new`',
  screen_dir: 'as Screen has it',
};

/**
 * Replaces the table on the settings page. The rest of the page stays unchanged.
 * @param {string} page
 * @param {readonly { name: string, environment: string | null, file: string | null, about: string }[]} rows
 * @param {Readonly<Record<string, unknown>>} defaults resolved for the home `~/.cbos`
 */
export function withSettingsTable(page, rows, defaults) {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/SETTINGS.md lacks the lines ${BEGIN} and ${END}`);
  const lines = rows.map(({ name, environment, file, about }) => {
    const value = defaults[name];
    return `| \`${name}\` | ${code(environment)} | ${code(file)} | ${defaultWords(name, value)} | ${cell(about)} |`;
  });
  const head = ['| setting | environment | in config.toml | default | what it is |', '|---|---|---|---|---|'];
  return `${before}${[BEGIN, '', ...head, ...lines, '', END].join('\n')}${after}`;
}

/** @param {string} name @param {unknown} value */
function defaultWords(name, value) {
  if (value === null || (Array.isArray(value) && value.length === 0)) return WITHOUT_VALUE[name] ?? 'none';
  return `\`${String(value)}\``;
}

/** @param {string | null} word */
function code(word) {
  return word === null ? '—' : `\`${word}\``;
}
