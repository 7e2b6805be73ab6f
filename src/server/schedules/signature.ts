import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** How far in the past or in the future a signed time may be, as recommended by Standard Webhooks. */
export const SIGNED_WITHIN_MS = 5 * 60_000;

/**
 * A request to a trigger's address. The names of its headers are in lower case. The body is exactly what the sender has
 * signed.
 */
export interface SignedRequest {
  header(name: string): string | null;
  body: Uint8Array;
}

/** The result of checking a signature. */
export type Verdict =
  | { kind: 'valid'; key: string; isPing: boolean }
  /** what is wrong, as a text for the sender */
  | { kind: 'wrong'; why: string };

const UNSIGNED =
  'The request has neither the headers of Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature) nor X-Hub-Signature-256';
const WRONG = "The signature isn't valid";

/**
 * Checks the signature of a request. All comparisons take constant time. The key of a valid request identifies what was
 * signed, so two requests with the same key are the same delivery.
 *
 * - Standard Webhooks 1.0 signs the id, the time, and the body. The time must be close to the current time.
 * - GitHub signs only the body and not the header with the id, so the body itself identifies the delivery.
 *
 * @param secret `whsec_` followed by base64. The key is the decoded bytes for Standard Webhooks, and the whole string
 * for GitHub.
 */
export function checkSignature(request: SignedRequest, secret: string, now: number): Verdict {
  const { header, body } = request;
  const standard = header('webhook-signature');
  if (standard !== null) return checkStandard(request, { secret, now, given: standard });
  const github = header('x-hub-signature-256');
  if (github === null) return { kind: 'wrong', why: UNSIGNED };
  const given = /^sha256=([0-9a-f]{64})$/i.exec(github)?.[1];
  const expected = createHmac('sha256', secret).update(body).digest();
  if (given === undefined || !timingSafeEqual(Buffer.from(given, 'hex'), expected))
    return { kind: 'wrong', why: WRONG };
  const isPing = header('x-github-event') === 'ping';
  return { kind: 'valid', key: keyOf('github', expected.toString('hex')), isPing };
}

/** An id must not contain a full stop, because full stops separate the parts of the signed string. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;
const SECONDS = /^\d{1,12}$/;
const DIGEST_BYTES = 32;

function checkStandard(
  { header, body }: SignedRequest,
  { secret, now, given }: { secret: string; now: number; given: string },
): Verdict {
  const id = header('webhook-id') ?? '';
  const time = header('webhook-timestamp') ?? '';
  if (!ID.test(id) || !SECONDS.test(time)) return { kind: 'wrong', why: UNSIGNED };
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', bytes).update(`${id}.${time}.`).update(body).digest();
  // A sender that is switching to a new secret sends several signatures.
  const isValid = given
    .split(' ')
    .map((one) => Buffer.from(/^v1,(.+)$/.exec(one)?.[1] ?? '', 'base64'))
    .some((one) => one.length === DIGEST_BYTES && timingSafeEqual(one, expected));
  if (!isValid) return { kind: 'wrong', why: WRONG };
  if (Math.abs(now - Number(time) * 1_000) > SIGNED_WITHIN_MS) {
    return {
      kind: 'wrong',
      why: 'The request was signed more than five minutes ago, or its timestamp is in the future',
    };
  }
  return { kind: 'valid', key: keyOf('standard', id), isPing: false };
}

const keyOf = (kind: string, id: string): string => createHash('sha256').update(`${kind} ${id}`).digest('base64url');
