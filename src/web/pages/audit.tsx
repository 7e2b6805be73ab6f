import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type AuditReader, createAuditReader, EMPTY_AUDIT } from '../../client/index.ts';
import type { AuditEntry, AuditRecord } from '../../protocol/index.ts';
import { DECIDED_WORDS, decidedCall, OUTCOME_WORDS, ruleAbout } from '../../text/rule-words.ts';
import { client, link, onFrame } from '../connection/fleet.ts';
import { ToolInput } from '../conversation/tool-input.tsx';
import { ageText, now } from '../display/clock.ts';
import { addressOf, goTo } from '../navigation/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';

/**
 * Shows the decisions that rules have made, newest first, each with its complete input and its place in the recording.
 */
export function AuditPage({ session }: { session: string | null }) {
  const view = useSignal(EMPTY_AUDIT);
  const reader = useRef<AuditReader | null>(null);
  useEffect(() => {
    if (link.value !== 'live') return;
    const made = createAuditReader({
      client,
      session,
      startTimer: (callback, delayMs) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
      onChange: () => {
        view.value = made.view();
      },
      onError: tellError,
    });
    reader.current = made;
    const stop = onFrame(({ type }) => {
      if (type === 'rule_decided') made.note();
    });
    return () => {
      stop();
      made.dispose();
    };
  }, [link.value, session]);

  const { entries, hasMore, isRead } = view.value;
  return (
    <>
      <PageHead title={session === null ? 'Audit' : `Audit of ${session}`} />
      <div class="page stack">
        <p class="faint">
          What rules have decided for you. No entry is ever changed or deleted.{' '}
          <a href={addressOf({ page: 'rules' })}>The rules</a>
          {session !== null && (
            <>
              {' · '}
              <a href={addressOf({ page: 'audit', session: null })}>All sessions</a>
            </>
          )}
        </p>
        {isRead && entries.length === 0 && (
          <div class="empty">
            <h1>No rule has decided anything</h1>
          </div>
        )}
        <ol class="plain audit" aria-label="Decisions, newest first">
          {entries.map((entry) => (
            <Decision key={entry.id} entry={entry} />
          ))}
        </ol>
        {hasMore && (
          <div class="row end">
            <button type="button" class="button" onClick={() => reader.current?.older()}>
              Older
            </button>
          </div>
        )}
      </div>
    </>
  );
}

function Decision({ entry }: { entry: AuditEntry }) {
  const { id, at, session, listed, decision, outcome } = entry;
  const record = useSignal<AuditRecord | null>(null);
  const isOpen = useSignal(false);
  const open = (): void => {
    isOpen.value = !isOpen.value;
    if (!isOpen.value || record.value !== null) return;
    client.call('auditRecord', { params: { id: String(id) } }).then((found) => {
      record.value = found;
    }, tellError);
  };
  return (
    <li class="card stack">
      <button type="button" class="audit-row" aria-expanded={isOpen.value} onClick={open}>
        <span class="row">
          <span class="chip" data-effect={decision}>
            {DECIDED_WORDS[decision] ?? decision}
          </span>
          <strong>{listed ?? session}</strong>
          <span class="faint grow clip">{OUTCOME_WORDS[outcome] ?? outcome}</span>
          <time class="faint" dateTime={at} title={new Date(at).toLocaleString()}>
            {ageText(Date.parse(at), now.value)}
          </time>
        </span>
        <code class="clip">{decidedCall(entry)}</code>
      </button>
      {isOpen.value && record.value !== null && <Whole record={record.value} />}
    </li>
  );
}

function Whole({ record }: { record: AuditRecord }) {
  const { id, at, tool, input, rules, session } = record;
  const place = placeOf(record);
  return (
    <div class="stack">
      <p class="faint">
        {tool} in {session}, {new Date(at).toLocaleString()}, number {id}
      </p>
      <ToolInput name={tool} input={input} />
      <ul class="plain">
        {rules.map((rule) => (
          <li key={rule.id} class="faint">
            {rule.effect} <code>{ruleAbout(rule)}</code> ({rule.id})
          </li>
        ))}
      </ul>
      <div class="row end">
        <button type="button" class="button quiet" onClick={() => goTo({ page: 'audit', session })}>
          Only {session}
        </button>
        {place !== null && (
          <a class="button" href={addressOf(place)}>
            Show that moment
          </a>
        )}
      </div>
    </div>
  );
}

/** Links to the place of a decision in the recording, or in the conversation of a JSON session. */
function placeOf({ listed, recording, offset, seq }: AuditRecord): Parameters<typeof addressOf>[0] | null {
  if (listed === null) return null;
  if (recording === null || offset === null) return seq === null ? null : { page: 'session', slug: listed, seq };
  return { page: 'replay', slug: listed, recording: recording === listed ? null : recording, offset, t: null };
}
