import { MAX_LAG_BYTES } from '../../core/stream/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import { type Member, ReadBytes, TerminalPart } from '../../protocol/index.ts';
import type { LiveRecording } from '../stream/live-recording.ts';
import type { FarListener } from '../stream/other-machines.ts';
import type { Question } from './ask-machine.ts';
import type { FarWatches } from './far-watches.ts';

/**
 * The recording of a session on another machine, followed for all clients together. This machine keeps none of the
 * output: for a client that is behind, the bytes are read from the owner's file, as those of an own session are read
 * from the file here.
 */
export function farRecording(options: {
  member: Member;
  slug: string;
  watches: FarWatches;
  ask(member: Member, question: Question): Promise<unknown>;
  listener: FarListener;
}): LiveRecording {
  const { member, slug, listener } = options;
  const bytes = new Emitter<[bytes: Uint8Array, offset: number]>();
  const resets = new Emitter<[epoch: number]>();
  let place: { from: number; epoch: number } | null = null;
  let start = 0;
  let size = '';

  const setSize = (cols: number, rows: number): void => {
    const now = `${cols}x${rows}`;
    if (now === size) return;
    size = now;
    listener.onResized({ cols, rows });
  };
  /** Continues in another recording. */
  const moveTo = (epoch: number, from: number): void => {
    const isReset = place !== null;
    place = { epoch, from };
    if (isReset) resets.tell(epoch);
  };

  const watch = options.watches.open(member, {
    ...{ slug, of: 'terminal', isWanted: listener.isWanted, onEnded: listener.onEnded },
    place: () => place,
    onBegun: (begun) => {
      start = begun.start;
      if (begun.size !== null) setSize(begun.size.cols, begun.size.rows);
      // If the owner does not know the offset, the recording was replaced while the owner's server was not running.
      if (begun.epoch !== place?.epoch || begun.from !== place.from) moveTo(begun.epoch, begun.from);
    },
    onNews: (news) => {
      if (news.of !== 'terminal') return;
      start = news.start;
      setSize(news.cols, news.rows);
      if (place === null || news.epoch !== place.epoch) moveTo(news.epoch, news.from);
      const all = Buffer.from(news.data, 'base64');
      // News whose confirmation was lost is sent again, with what has been written since.
      const fresh = all.subarray(Math.max(0, (place?.from ?? 0) - news.from));
      const to = news.from + all.length;
      if (fresh.length === 0) return;
      place = { epoch: news.epoch, from: to };
      bytes.tell(fresh, to - fresh.length);
    },
  });

  return {
    start: () => start,
    end: () => place?.from ?? 0,
    epoch: () => place?.epoch ?? 0,
    follow: () => watch.begun,
    availableFrom: async () => start,
    read: (from, to) =>
      watch.ask(async () => {
        const { epoch } = place ?? { epoch: 0 };
        const { data } = ReadBytes.parse(await options.ask(member, { kind: 'read', slug, epoch, from, to }));
        return Buffer.from(data, 'base64');
      }),
    snapshot: () =>
      watch.ask(async () => {
        const call = { route: 'terminal' as const, params: { slug } };
        const part = TerminalPart.parse(await options.ask(member, { kind: 'call', call, ticket: null }));
        setSize(part.cols, part.rows);
        if (place !== null && part.epoch !== place.epoch) moveTo(part.epoch, part.offset);
        // While no client could take output, the owner sent none, so the screen is ahead of what came.
        if (place !== null && part.offset - place.from > MAX_LAG_BYTES) place.from = part.offset;
        return { data: part.data, offset: part.offset };
      }),
    onBytes: bytes.on,
    onReset: resets.on,
    goOn: watch.goOn,
    leave: () => {
      watch.end();
      bytes.clear();
      resets.clear();
    },
  };
}
