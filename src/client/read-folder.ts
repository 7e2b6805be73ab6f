import type { CheckpointFiles, RouteInput } from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/** Reads a whole folder of a checkpoint, part by part. */
export async function readFolder(
  client: Pick<Caller, 'call'>,
  { params, query }: RouteInput<'checkpointFiles'>,
): Promise<CheckpointFiles> {
  const read = (from: number) => client.call('checkpointFiles', { params, query: { ...query, from } });
  const files = await read(0);
  const entries = [...files.entries];
  let { next } = files;
  while (next !== null) {
    const part = await read(next);
    entries.push(...part.entries);
    next = part.next;
  }
  return { ...files, entries, next };
}
