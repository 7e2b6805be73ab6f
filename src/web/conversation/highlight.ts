import { createHighlighterCore, type HighlighterCore, type LanguageInput } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

/** Lines of coloured pieces; null: the colour of the text around. */
export type Highlighted = { text: string; colour: string | null }[][];

export interface CodeToColour {
  text: string;
  /** a fence's word or a file's ending */
  language: string;
  theme: 'light' | 'dark';
}

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

let core: Promise<HighlighterCore> | null = null;
const loaded = new Map<Language, Promise<void>>();

/** Colours code; null where its language is not known. @throws Error when what it takes cannot be loaded: it may be asked again */
export async function colourCode({ text, language, theme }: CodeToColour): Promise<Highlighted | null> {
  const known = languageOf(language);
  if (known === null) return null;
  core ??= createCore().catch((error: unknown) => {
    core = null;
    throw error;
  });
  const highlighter = await core;
  await loadLanguage(highlighter, known);
  const { tokens } = highlighter.codeToTokens(text, { lang: known, theme: THEMES[theme] });
  return tokens.map((line) => line.map(({ content, color }) => ({ text: content, colour: color ?? null })));
}

async function createCore(): Promise<HighlighterCore> {
  const themes = await Promise.all([import('shiki/themes/github-light.mjs'), import('shiki/themes/github-dark.mjs')]);
  return createHighlighterCore({
    themes: themes.map((theme) => theme.default),
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

function loadLanguage(highlighter: HighlighterCore, language: Language): Promise<void> {
  const load = async (): Promise<void> => {
    const grammar: { default: LanguageInput } = await LANGUAGES[language]();
    await highlighter.loadLanguage(grammar.default);
  };
  const loading = loaded.get(language) ?? load();
  loaded.set(language, loading);
  return loading.catch((error: unknown) => {
    loaded.delete(language);
    throw error;
  });
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
