import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson, type RateLimit } from '../../protocol/index.ts';
import { readTail } from '../files/read-tail.ts';

/**
 * How much of a transcript's end is searched. The message about the limit is the last message, and only short notes
 * follow it.
 */
const TAIL_BYTES = 262_144;

/**
 * Matches the message with which Claude Code ends a turn at a usage limit, as stored in its transcript (2.1.330). If a
 * request was refused for another reason (too many requests at once, the limit of an API key), the message has no
 * `quotaLimits`.
 */
const Failure = z.object({
  type: z.literal('assistant'),
  isApiErrorMessage: z.literal(true),
  message: z.object({ content: z.array(z.looseObject({ text: z.string().optional() })) }),
  apiError: z.string().optional().catch(undefined),
  quotaLimits: z
    .object({
      status: z.string(),
      resetsAt: z.number().optional().catch(undefined),
      rateLimitType: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** The highest valid Unix time in seconds, which is the end of the year 9999. */
const MOST_SECONDS = 253_402_300_799;

/**
 * Returns the usage limit that made a turn fail.
 * @param message the turn's last message, as reported by the hook
 * @returns null if no usage limit ended the turn, or undefined if the message is not in the transcript yet
 */
function limitIn(tail: string, message: string): RateLimit | null | undefined {
  for (const line of tail.split('\n').reverse()) {
    if (!line.includes('"isApiErrorMessage":true')) continue;
    const failure = Failure.safeParse(parseJson(line)).data;
    if (failure === undefined || failure.message.content[0]?.text !== message) continue;
    const { apiError, quotaLimits: limit } = failure;
    if (apiError !== 'usage_limit_reached' || limit?.status !== 'rejected') return null;
    const { resetsAt: at, rateLimitType: kind = null } = limit;
    const isTime = at !== undefined && at > 0 && at <= MOST_SECONDS;
    return {
      status: 'rejected',
      kind,
      resets_at: isTime ? new Date(at * 1_000).toISOString() : null,
      utilization: null,
    };
  }
  return undefined;
}

/** A hook that reports a failed turn. */
interface Failed {
  event: string;
  payload: Readonly<Record<string, unknown>>;
}

/**
 * Returns the usage limit that ended a turn, according to the hook that reports the failure and the transcript that
 * this hook points to. The hook alone reports neither which limit it was nor when the limit ends (2.1.330).
 * @returns null if no usage limit ended the turn, or undefined if the hook's message is not in the transcript yet
 */
export async function readUsageLimit({ event, payload }: Failed): Promise<RateLimit | null | undefined> {
  const { error, last_assistant_message: message, transcript_path: transcript } = payload;
  if (event !== 'StopFailure' || error !== 'rate_limit') return null;
  if (typeof message !== 'string' || typeof transcript !== 'string') return null;
  return limitIn(await readTail(transcript, TAIL_BYTES), message);
}

/**
 * When to look again for a message that is not in the transcript yet, in milliseconds. Depending on the load of the
 * machine, Claude Code runs the hook before or after it writes the message.
 */
const LOOK_AGAIN_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400] as const;

/** Looks again until the transcript contains the message. Returns null if the message never appears. */
export async function awaitUsageLimit(failed: Failed): Promise<RateLimit | null> {
  for (const pauseMs of LOOK_AGAIN_MS) {
    await delay(pauseMs, undefined, { ref: false });
    const found = await readUsageLimit(failed);
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * Matches the notice that the transcript contains after a user has pressed Esc to end Claude Code's own wait for the
 * end of a limit (2.1.330).
 */
const CANCELLED = 'Automatic continue cancelled';

const Notice = z.object({
  type: z.literal('system'),
  subtype: z.literal('informational'),
  content: z.string(),
  timestamp: z.iso.datetime(),
});

/** Reports whether someone has cancelled Claude Code's own continuation since the given time. */
export async function isContinueCancelled(transcript: string, since: number): Promise<boolean> {
  const lines = (await readTail(transcript, TAIL_BYTES)).split('\n').filter((line) => line.includes(CANCELLED));
  return lines.some((line) => {
    const { data } = Notice.safeParse(parseJson(line));
    return data?.content.startsWith(CANCELLED) === true && Date.parse(data.timestamp) >= since;
  });
}
