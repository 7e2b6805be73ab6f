import { createHighlighterCore, type LanguageInput } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { loadPart } from '../server/load-part.ts';

/** Lines of coloured pieces; null: the colour of the text around. */
export type Highlighted = { text: string; colour: string | null }[][];
export type Highlight = (code: { text: string; language: string; theme: 'light' | 'dark' }) => Highlighted | null;

/** What stands in answers and tool calls, mostly. Each is a part of its own, loaded when it is met. */
const LANGUAGES = {
  bash: () => import('shiki/langs/bash.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
} as const;
type Language = keyof typeof LANGUAGES;

const OTHER_NAMES: Readonly<Record<string, Language>> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  golang: 'go',
  htm: 'html',
  svg: 'html',
  xml: 'html',
  jsonc: 'json',
  py: 'python',
  rs: 'rust',
  js: 'tsx',
  cjs: 'tsx',
  mjs: 'tsx',
  ts: 'tsx',
  jsx: 'tsx',
  javascript: 'tsx',
  typescript: 'tsx',
  yml: 'yaml',
};

const THEMES = { light: 'github-light', dark: 'github-dark' } as const;

/** A highlighter that loads a language when it meets it; until then it answers null. */
export async function createHighlight(listener: {
  onLoaded(): void;
  onError(error: unknown): void;
}): Promise<Highlight> {
  const themes = await loadPart(() =>
    Promise.all([import('shiki/themes/github-light.mjs'), import('shiki/themes/github-dark.mjs')]),
  );
  const core = await createHighlighterCore({
    themes: themes.map((theme) => theme.default),
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const asked = new Set<Language>();
  const loaded = new Set<Language>();
  return ({ text, language, theme }) => {
    const known = languageOf(language);
    if (known === null) return null;
    if (!loaded.has(known)) {
      if (!asked.has(known)) {
        asked.add(known);
        loadPart<{ default: LanguageInput }>(LANGUAGES[known])
          .then(async (grammar) => {
            await core.loadLanguage(grammar.default);
            loaded.add(known);
            listener.onLoaded();
          })
          .catch(listener.onError);
      }
      return null;
    }
    const { tokens } = core.codeToTokens(text, { lang: known, theme: THEMES[theme] });
    return tokens.map((line) => line.map(({ content, color }) => ({ text: content, colour: color ?? null })));
  };
}

/** The language of a fence's word or a file's ending; null where it is not known. */
function languageOf(name: string): Language | null {
  const word =
    name
      .trim()
      .toLowerCase()
      .split(/[\s{,]/, 1)[0] ?? '';
  if (Object.hasOwn(LANGUAGES, word)) return word as Language;
  return OTHER_NAMES[word] ?? null;
}
