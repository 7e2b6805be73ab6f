/** The languages that can be coloured, by the extension of their files. */
export const LANGUAGE_NAMES = [
  'c',
  'cpp',
  'cs',
  'css',
  'dart',
  'diff',
  'dockerfile',
  'go',
  'html',
  'ini',
  'java',
  'json',
  'kt',
  'less',
  'lua',
  'm',
  'proto',
  'ps1',
  'py',
  'rb',
  'rs',
  'scala',
  'scss',
  'sh',
  'sql',
  'swift',
  'toml',
  'ts',
  'tsx',
  'xml',
  'yaml',
] as const;
export type LanguageName = (typeof LANGUAGE_NAMES)[number];

/** Other extensions and names of these languages. */
const OTHER_NAMES: Readonly<Record<string, LanguageName>> = {
  'c#': 'cs',
  'c++': 'cpp',
  bash: 'sh',
  bashrc: 'sh',
  cc: 'cpp',
  cfg: 'ini',
  cjs: 'tsx',
  conf: 'ini',
  console: 'sh',
  csharp: 'cs',
  csproj: 'xml',
  cts: 'ts',
  cxx: 'cpp',
  docker: 'dockerfile',
  editorconfig: 'ini',
  env: 'sh',
  gitconfig: 'ini',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  htm: 'html',
  javascript: 'tsx',
  js: 'tsx',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  jsx: 'tsx',
  kotlin: 'kt',
  kts: 'kt',
  markup: 'html',
  mjs: 'tsx',
  mts: 'ts',
  objectivec: 'm',
  patch: 'diff',
  plist: 'xml',
  powershell: 'ps1',
  profile: 'sh',
  properties: 'ini',
  protobuf: 'proto',
  psm1: 'ps1',
  pyi: 'py',
  python: 'py',
  rake: 'rb',
  ruby: 'rb',
  rust: 'rs',
  shell: 'sh',
  svelte: 'html',
  svg: 'xml',
  typescript: 'ts',
  vue: 'html',
  webmanifest: 'json',
  xsd: 'xml',
  yml: 'yaml',
  zsh: 'sh',
  zshrc: 'sh',
};

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
  if (Object.hasOwn(OTHER_NAMES, word)) return OTHER_NAMES[word] ?? null;
  return LANGUAGE_NAMES.find((known) => known === word) ?? null;
}

/** Returns the language of a file, judging only by the file's name, or null if it is unknown. */
export function languageOfFile(path: string): LanguageName | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (Object.hasOwn(BY_FILE_NAME, name)) return BY_FILE_NAME[name] ?? null;
  const dot = name.lastIndexOf('.');
  if (dot === -1) return null;
  return languageNamed(name.slice(dot + 1)) ?? (name.startsWith('dockerfile.') ? 'dockerfile' : null);
}
