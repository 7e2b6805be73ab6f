import { createHighlighterCore, type HighlighterCore, type LanguageInput } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import githubDark from 'shiki/themes/github-dark.mjs';
import githubLight from 'shiki/themes/github-light.mjs';

/** Lines of code, each split into coloured pieces. A null colour stands for the colour of the surrounding text. */
export type Highlighted = { text: string; colour: string | null }[][];

export interface CodeToColour {
  text: string;
  /** the name of the language after a code fence, or a file's extension */
  language: string;
  theme: 'light' | 'dark';
}

/**
 * The languages that are common in answers and tool calls. Each is a separate part of the page, which is loaded on
 * first use.
 */
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

/**
 * Highlights code. The result is null if the language is unknown. @throws Error if a required part cannot be loaded,
 * and on every later call
 */
export async function colourCode({ text, language, theme }: CodeToColour): Promise<Highlighted | null> {
  const known = languageOf(language);
  if (known === null) return null;
  core ??= createHighlighterCore({
    themes: [githubLight, githubDark],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await core;
  const loading = loaded.get(known) ?? loadLanguage(highlighter, known);
  loaded.set(known, loading);
  await loading;
  const { tokens } = highlighter.codeToTokens(text, { lang: known, theme: THEMES[theme] });
  return tokens.map((line) => line.map(({ content, color }) => ({ text: content, colour: color ?? null })));
}

async function loadLanguage(highlighter: HighlighterCore, language: Language): Promise<void> {
  const grammar: { default: LanguageInput } = await LANGUAGES[language]();
  await highlighter.loadLanguage(grammar.default);
}

/**
 * Returns the language for the name after a code fence or for a file's extension. Returns null if there is no such
 * language.
 */
function languageOf(name: string): Language | null {
  const word =
    name
      .trim()
      .toLowerCase()
      .split(/[\s{,]/, 1)[0] ?? '';
  if (Object.hasOwn(LANGUAGES, word)) return word as Language;
  return OTHER_NAMES[word] ?? null;
}
