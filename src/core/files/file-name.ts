/**
 * The maximum length of the readable part of a stored name. With this limit, the name fits on one line of a terminal
 * together with the id and the folder.
 */
const LONGEST_STEM = 60;
const LONGEST_ENDING = 10;

/** The name for a file whose original name has no readable part. */
const NAMELESS = 'file';

/** The media type for each file extension, for the kinds of files that people send to Claude Code. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  json: 'application/json',
  zip: 'application/zip',
  csv: 'text/csv',
  html: 'text/html',
  md: 'text/markdown',
  txt: 'text/plain',
  log: 'text/plain',
};

const ANY_TYPE = 'application/octet-stream';

/** Returns the media type that belongs to a file extension. */
export function typeOfName(name: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined) ?? ANY_TYPE;
}

/**
 * Returns a name under which a file can be stored and mentioned, whatever its original name is. The name consists of
 * ASCII letters, digits, `.`, `_` and `-`. It ends with a letter or a digit, because Claude Code ends a mention at the
 * last letter or digit.
 * @param given the file name from the upload, which may be a path and is not trusted
 * @param type the media type from the upload, which supplies the extension if the name has none, or null if unknown
 */
export function safeFileName(given: string, type: string | null): string {
  const base = given.split(/[/\\]/).at(-1) ?? '';
  // Replaces an accented letter with the plain letter.
  const plain = base.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const parts = /^(.*)\.([A-Za-z0-9]+)$/s.exec(plain);
  const own = parts?.[2] ?? '';
  const isEnding = own !== '' && own.length <= LONGEST_ENDING;
  const stem = readable(isEnding ? (parts?.[1] ?? '') : plain);
  const ending = isEnding ? own : endingOfType(type);
  return ending === '' ? stem : `${stem}.${ending}`;
}

function readable(text: string): string {
  const safe = text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/([._-])[._-]+/g, '$1');
  const trimmed = safe
    .replace(/^[._-]+/, '')
    .slice(0, LONGEST_STEM)
    .replace(/[._-]+$/, '');
  return trimmed === '' ? NAMELESS : trimmed;
}

function endingOfType(type: string | null): string {
  const plain = type?.split(';')[0]?.trim().toLowerCase();
  return Object.entries(TYPES).find(([, one]) => one === plain)?.[0] ?? '';
}
