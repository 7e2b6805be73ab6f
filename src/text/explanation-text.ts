import type { Explanation, Session } from '../protocol/index.ts';
import { blockedText } from './blocked-words.ts';
import { formatSince } from './durations.ts';

/** Formats a status in the way rules do, such as `waiting/permission`. */
export function statusWord({ primary, detail }: Pick<Explanation['status'], 'primary' | 'detail'>): string {
  return primary === null ? 'unknown' : [primary, detail].filter((word) => word !== null).join('/');
}

/** Formats how long ago an event happened, or returns an empty string if it never happened. */
export function agoText(at: string | null, now: number): string {
  return at === null ? '' : `${formatSince(at, now)} ago`;
}

/** A process that an earlier server launched is known to be alive, but not since when. */
function processText({ alive, started_at: at }: NonNullable<Explanation['evidence']['process']>, now: number): string {
  if (!alive) return 'stopped';
  return at === null ? 'alive' : `alive, started ${agoText(at, now)}`;
}

/**
 * Returns what is known about a session, source by source, with a label for each source. Sources without evidence are
 * omitted.
 */
export function evidenceFacts(
  session: Pick<Session, 'slug' | 'status' | 'screen_prompt_at' | 'view'>,
  { evidence }: Pick<Explanation, 'evidence'>,
  now: number,
): (readonly [label: string, text: string])[] {
  const { process, hooks, screen, registry, json } = evidence;
  const ago = (at: string | null): string => agoText(at, now);
  const calls = (list: readonly { name: string; at: string }[]): string =>
    list.map(({ name, at }) => `${name} (${ago(at)})`).join(', ');
  const prompt = json === null ? hooks?.prompt : json.prompt;
  // A JSON session has a process only while a turn is running, and lacks the sources of a terminal session.
  const unknown = json === null ? 'unknown' : '';
  const facts: (readonly [string, string])[] = [
    ['process', process === null ? unknown : processText(process, now)],
    json === null
      ? ['hooks', hooks === null ? 'none received' : `last received ${ago(hooks.last_at)}`]
      : ['events', json.last_at === null ? 'none received' : `last received ${ago(json.last_at)}`],
    ['prompt', prompt == null ? '' : `${prompt.text}${prompt.cut === true ? '…' : ''} (${ago(prompt.at)})`],
    ['calls', calls(json?.tools ?? hooks?.tools ?? [])],
  ];
  if (json === null) {
    const says = registry === null ? [] : [registry.status ?? 'no status', registry.waiting_for];
    facts.push(
      ['turn end', hooks?.turn_end == null ? '' : `${hooks.turn_end.event} (${ago(hooks.turn_end.at)})`],
      ['registry', registry === null ? 'no record' : says.filter((word) => word !== null).join(': ')],
      ['screen', screen === null ? 'no recording' : `${screen.newest_rule}, changed ${ago(screen.changed_at)}`],
      ['draft', screen?.draft ?? ''],
      ['keys', blockedText(session)],
    );
  } else {
    const { turn_end: end, background } = json;
    facts.push(
      ['asks', calls(json.questions)],
      ['turn end', end === null ? '' : `${end.error ?? (end.interrupted ? 'interrupted' : 'done')} (${ago(end.at)})`],
      ['background', background === 0 ? '' : `${background} tasks continue`],
    );
  }
  return facts.filter(([, text]) => text !== '');
}
