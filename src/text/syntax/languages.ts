/** The languages that can be coloured, by the extension of their files, with other extensions and names of each. */
const OTHER_NAMES = {
  c: ['h'],
  cpp: ['c++', 'cc', 'cxx', 'hpp'],
  cs: ['c#', 'csharp'],
  css: [],
  dart: [],
  diff: ['patch'],
  dockerfile: ['docker'],
  go: ['golang'],
  html: ['htm', 'markup', 'svelte', 'vue'],
  ini: ['cfg', 'conf', 'editorconfig', 'gitconfig', 'properties'],
  java: [],
  json: ['json5', 'jsonc', 'jsonl', 'webmanifest'],
  kt: ['kotlin', 'kts'],
  less: [],
  lua: [],
  m: ['objectivec'],
  proto: ['protobuf'],
  ps1: ['powershell', 'psm1'],
  py: ['pyi', 'python'],
  rb: ['rake', 'ruby'],
  rs: ['rust'],
  scala: [],
  scss: [],
  sh: ['bash', 'bashrc', 'console', 'env', 'profile', 'shell', 'zsh', 'zshrc'],
  sql: [],
  swift: [],
  toml: [],
  ts: ['cts', 'mts', 'typescript'],
  tsx: ['cjs', 'javascript', 'js', 'jsx', 'mjs'],
  xml: ['csproj', 'plist', 'svg', 'xsd'],
  yaml: ['yml'],
} as const;
export type LanguageName = keyof typeof OTHER_NAMES;
export const LANGUAGE_NAMES = Object.keys(OTHER_NAMES) as readonly LanguageName[];

const BY_NAME: ReadonlyMap<string, LanguageName> = new Map(
  LANGUAGE_NAMES.flatMap((language) => [language, ...OTHER_NAMES[language]].map((name) => [name, language] as const)),
);

/** The languages of files whose whole name says what they are. */
const BY_FILE_NAME: Readonly<Record<string, LanguageName>> = {
  '.babelrc': 'json',
  'cargo.lock': 'toml',
  containerfile: 'dockerfile',
  dockerfile: 'dockerfile',
  gemfile: 'rb',
  rakefile: 'rb',
};

/** Returns the language of the code after a code fence or in a file with this extension, or null if it is unknown. */
export function languageNamed(name: string): LanguageName | null {
  const word =
    name
      .trim()
      .toLowerCase()
      .split(/[\s{,]/, 1)[0] ?? '';
  return BY_NAME.get(word) ?? null;
}

/** Returns the language of a file, judging only by the file's name, or null if it is unknown. */
export function languageOfFile(path: string): LanguageName | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (Object.hasOwn(BY_FILE_NAME, name)) return BY_FILE_NAME[name] ?? null;
  const dot = name.lastIndexOf('.');
  if (dot === -1) return null;
  return languageNamed(name.slice(dot + 1)) ?? (name.startsWith('dockerfile.') ? 'dockerfile' : null);
}
