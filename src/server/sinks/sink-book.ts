import { randomBytes } from 'node:crypto';
import { v4 as uuid } from 'uuid';
import { z } from 'zod';
import {
  openDesktop,
  openEmail,
  openNtfy,
  openSlack,
  openTelegram,
  openWebhook,
  type SinkDriver,
  type SinkMemory,
} from '../../platform/sinks/index.ts';
import { CatalogueError, type NewSink } from '../../protocol/index.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';

/**
 * How long a question must have been open before a sink sends it, unless the sink specifies another time. A person at
 * the keyboard answers most questions within this time.
 */
const AFTER_S = 15;
const AWAY_S = 60;
const NTFY_URL = 'https://ntfy.sh';
const TELEGRAM_URL = 'https://api.telegram.org';
const SLACK_URL = 'https://slack.com/api';

const Common = z.object({
  id: z.string(),
  name: z.string(),
  after_s: z.number(),
  away_s: z.number(),
  quiet: z.string().nullable(),
  timezone: z.string().nullable(),
  answers: z.boolean(),
  created_at: z.string(),
});

/** A sink, including its secrets. */
const KeptSink = z.discriminatedUnion('kind', [
  Common.extend({
    kind: z.literal('ntfy'),
    url: z.string(),
    topic: z.string(),
    replies: z.string(),
    token: z.string().nullable(),
  }),
  Common.extend({ kind: z.literal('webhook'), url: z.string(), secret: z.string() }),
  Common.extend({ kind: z.literal('telegram'), url: z.string(), token: z.string(), chat: z.string() }),
  Common.extend({
    kind: z.literal('slack'),
    url: z.string(),
    token: z.string(),
    appToken: z.string().nullable(),
    channel: z.string(),
  }),
  Common.extend({
    kind: z.literal('email'),
    url: z.string(),
    from: z.string(),
    to: z.string(),
    password: z.string().nullable(),
  }),
  Common.extend({ kind: z.literal('desktop') }),
]);
export type KeptSink = z.infer<typeof KeptSink>;

const Kept = z.object({ sinks: z.array(KeptSink) });

/** Stores the sinks of a home, in one private file. */
export interface SinkBook {
  all(): readonly KeptSink[];
  /** @throws CatalogueError no_such_sink */
  find(name: string): KeptSink;
  save(sinks: readonly KeptSink[]): void;
}

export function openSinkBook(file: string): SinkBook {
  let sinks: readonly KeptSink[] = readPrivateFile(file, Kept)?.sinks ?? [];
  return {
    all: () => sinks,
    find: (name) => {
      const found = sinks.find((one) => one.name === name);
      if (found !== undefined) return found;
      throw new CatalogueError('no_such_sink', `No sink is named ${JSON.stringify(name.slice(0, 80))}`);
    },
    save: (next) => {
      writePrivateFile(file, { sinks: next });
      sinks = next;
    },
  };
}

/**
 * Returns a code of 128 bits, which nobody can guess. It contains only characters that are allowed in topics and
 * buttons.
 */
export const makeCode = (): string => randomBytes(16).toString('base64url');

/**
 * Creates a sink from a request.
 * @returns the sink, and the secrets that were created for it, which the user sees only once
 */
export function makeSink(
  { name, after_s: afterS = AFTER_S, away_s: awayS = AWAY_S, quiet: hours, ...request }: NewSink,
  { timezone, now }: { timezone: string; now: number },
): { sink: KeptSink; shownOnce: string | null } {
  const quiet = hours ?? null;
  const common = {
    id: uuid(),
    name,
    after_s: afterS,
    away_s: awayS,
    quiet,
    timezone: quiet === null ? null : (request.timezone ?? timezone),
    answers: 'answers' in request && request.answers === true,
    created_at: new Date(now).toISOString(),
  };
  switch (request.kind) {
    case 'ntfy': {
      const topic = request.topic ?? `cbos-${makeCode()}`;
      const { kind, url = NTFY_URL, token = null } = request;
      const sink: KeptSink = { ...common, kind, url, topic, replies: `cbos-${makeCode()}`, token };
      return { sink, shownOnce: request.topic === undefined ? topic : null };
    }
    case 'webhook': {
      const { kind, url } = request;
      const secret = request.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
      return { sink: { ...common, kind, url, secret }, shownOnce: request.secret === undefined ? secret : null };
    }
    case 'telegram': {
      const { kind, url = TELEGRAM_URL, token, chat } = request;
      return { sink: { ...common, kind, url, token, chat }, shownOnce: null };
    }
    case 'slack': {
      const { kind, url = SLACK_URL, token, app_token: appToken = null, channel } = request;
      return { sink: { ...common, kind, url, token, appToken, channel }, shownOnce: null };
    }
    case 'email': {
      const { kind, url, from, to, password = null } = request;
      return { sink: { ...common, kind, url, from, to, password }, shownOnce: null };
    }
    case 'desktop':
      return { sink: { ...common, kind: request.kind }, shownOnce: null };
    default:
      return request satisfies never;
  }
}

export function openDriver(
  sink: KeptSink,
  { memory, now, bus }: { memory: SinkMemory; now(): number; bus: string | null },
): SinkDriver {
  switch (sink.kind) {
    case 'ntfy':
      return openNtfy({ ...sink, memory, now });
    case 'webhook':
      return openWebhook({ ...sink, takesAnswers: sink.answers, now });
    case 'telegram':
      return openTelegram({ ...sink, memory });
    case 'slack':
      return openSlack({ ...sink, appToken: sink.answers ? sink.appToken : null });
    case 'email':
      return openEmail(sink);
    case 'desktop':
      return openDesktop({ bus });
    default:
      return sink satisfies never;
  }
}
