import { type FileContent, type ImageType, MOST_CONTENT_BYTES } from '../../protocol/index.ts';
import { type GitContext, readGit } from './read-git.ts';
import { lines } from './working-tree.ts';

/** What the API says about the content of a file. */
export type SizedContent = FileContent & { size: number | null };

/** What the API says about something without content, such as a folder. */
export const NO_CONTENT: SizedContent = { size: null, encoding: null, content: null, cut: false, image: null };

/** Reads the content of an object, as much of it as an answer may contain. @throws CatalogueError git_failed */
export async function readBlob(
  call: GitContext,
  { id, isLink }: { id: string; isLink: boolean },
): Promise<SizedContent> {
  const { stdout, isCut } = await readGit(['cat-file', 'blob', id], { ...call, mostBytes: MOST_CONTENT_BYTES });
  const size = isCut ? ((await sizesOf(call, [id])).get(id) ?? null) : stdout.length;
  return { size, ...contentOf(stdout, { isCut, isLink }) };
}

/**
 * Returns the content of a file, of which `bytes` may be only the beginning. Text remains text, and everything else
 * becomes base64. The target of a symbolic link is never an image.
 */
export function contentOf(bytes: Buffer, { isCut, isLink }: { isCut: boolean; isLink: boolean }): FileContent {
  const text = isCut ? textOfCut(bytes) : textIn(bytes);
  return {
    encoding: text === null ? 'base64' : 'utf-8',
    content: text ?? bytes.toString('base64'),
    cut: isCut,
    image: isCut || isLink ? null : imageType(bytes),
  };
}

/** Returns the sizes of objects by their ids. */
export async function sizesOf(call: GitContext, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { stdout } = await readGit(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    ...call,
    input: Buffer.from(ids.map((id) => `${id}\n`).join('')),
  });
  return new Map(
    lines(stdout).flatMap((line) => {
      const [id = '', size = ''] = line.split(' ');
      return /^\d+$/.test(size) ? [[id, Number(size)] as const] : [];
    }),
  );
}

/** Returns the text of a file, or null if the file is not text in UTF-8. */
function textIn(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Ends the text after a whole line, or if there is none, after a whole character. */
function textOfCut(bytes: Buffer): string | null {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end > 0) return textIn(bytes.subarray(0, end));
  const whole = [0, 1, 2, 3].map((less) => textIn(bytes.subarray(0, bytes.length - less)));
  return whole.find((text) => text !== null) ?? null;
}

/** Recognizes the images that every browser draws without running anything. SVG is not one of them; it is text. */
export function imageType(bytes: Buffer): ImageType | null {
  const startsWith = (text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;
  if (startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (startsWith('GIF87a') || startsWith('GIF89a')) return 'image/gif';
  return startsWith('RIFF') && startsWith('WEBP', 8) ? 'image/webp' : null;
}
