import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CatalogueError, isSlug, type Settings } from '../protocol/index.ts';

export interface RecordingPair {
  typescript: string;
  timing: string | null;
}

export interface RecordingName {
  /** a session's slug, or the path of a recording */
  recording: string;
  /** the path of the timing file, or null to use the file next to the recording, if there is one */
  timing: string | null;
}

export interface RecordingPlace {
  settings: Pick<Settings, 'stream_dir'>;
  /** the directory to which relative paths refer */
  cwd: string;
}

/** Reports whether a string is a slug, or is `SLUG.N`, the name of an earlier recording that a restart moved aside. */
function isName(text: string): boolean {
  return isSlug(text.replace(/\.\d+$/, ''));
}

/**
 * Finds a recording by the path of its file or by the session's name. The timing file is next to the recording, unless
 * the caller specifies another file.
 * @throws CatalogueError no_recording
 */
export function findRecording({ recording, timing }: RecordingName, { settings, cwd }: RecordingPlace): RecordingPair {
  const file = resolve(cwd, recording);
  const typescript =
    !existsSync(file) && isName(recording) ? join(settings.stream_dir, `${recording}.typescript`) : file;
  if (statSync(typescript, { throwIfNoEntry: false })?.isFile() !== true) {
    const events = isSlug(recording) ? `; for a JSON session, see \`cbos events ${recording}\`` : '';
    throw new CatalogueError('no_recording', `The recording ${typescript} does not exist`, {
      hint: `Give a .typescript file, or a session that \`cbos ls\` lists${events}`,
    });
  }
  if (timing !== null) return { typescript, timing: resolve(cwd, timing) };
  const beside = `${typescript.replace(/\.typescript$/, '')}.timing`;
  return { typescript, timing: existsSync(beside) ? beside : null };
}
