import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Question, Session, StoredEvent } from '../../protocol/index.ts';
import { toolGist } from '../../text/session-words.ts';
import { command, link, onFrame } from '../connection/fleet.ts';
import { now } from '../display/clock.ts';
import { Icon } from '../parts/icons.tsx';
import { Code } from './code.tsx';
import { type Conversation, EMPTY_CONVERSATION, foldEvents, type Item } from './fold-events.ts';
import { Markdown } from './markdown.tsx';
import { endingOf, ToolInput } from './tool-input.tsx';

/** How close to the end, in pixels, the view must be to count as being at the end. */
const AT_END_PX = 60;
/**
 * The tools whose details are expanded at first, because users want to see changes to files without having to click.
 */
const SHOWN_OPEN: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'TodoWrite']);

/**
 * Shows a JSON session as a conversation: prompts, answers, and tool calls.
 * @param props.seq the event to show first, which a search has found, or null to start at the end
 */
export function ConversationView({ session, seq }: { session: Session; seq: number | null }) {
  const conversation = useConversation(session.slug);
  const isNew = session.json_state === 'idle';
  const hint = isNew ? 'No prompts yet. Write the first one below.' : 'Loading…';
  return <Messages {...{ session, seq, hint }} conversation={conversation.value} />;
}

interface MessagesProps {
  session: Session;
  conversation: Conversation;
  seq: number | null;
  /** what to show while there are no messages */
  hint: string;
  /** what to show above the first message */
  before?: ComponentChildren;
}

export function Messages({ session, conversation, seq, hint, before }: MessagesProps) {
  const { slug } = session;
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
  const { items } = conversation;
  const found = seq === null ? undefined : items.find((item) => item.seq >= seq);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    const followEnd = (): void => {
      if (isAtEnd.current) current.scrollTop = current.scrollHeight;
    };
    // Not only messages move the end of the conversation. So do code that is being highlighted, a question that takes
    // up space, and a phone's keyboard.
    const observer = new ResizeObserver(followEnd);
    observer.observe(current);
    for (const item of current.children) observer.observe(item);
    followEnd();
    return () => observer.disconnect();
  }, [items]);
  const foundId = found?.id;
  useEffect(() => {
    if (foundId === undefined) return;
    isAtEnd.current = false;
    const { current } = scroller;
    current?.querySelector('.item.found')?.scrollIntoView({ block: 'center' });
    lastTop.current = current?.scrollTop ?? 0;
  }, [foundId, seq]);
  return (
    <section
      class="conversation"
      ref={scroller}
      aria-label={`Conversation of ${slug}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it, too
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        // The view leaves the end only if the user scrolls up, and returns to it only if the user scrolls down. If the
        // conversation has grown since the last event, or if a search has opened it at this place, it was not the user
        // who scrolled.
        const isNearEnd = scrollHeight - scrollTop - clientHeight < AT_END_PX;
        if (isNearEnd && scrollTop > lastTop.current) isAtEnd.current = true;
        else if (!isNearEnd && scrollTop < lastTop.current) isAtEnd.current = false;
        lastTop.current = scrollTop;
      }}
    >
      {items.length === 0 ? <p class="faint">{hint}</p> : before}
      {items.map((item, index) => (
        <ItemView
          key={item.id}
          item={item}
          isAsked={isAsked(item, session.status.question)}
          isFound={item === found}
          isTimed={isTimed(item, items[index - 1])}
        />
      ))}
      {session.status.primary === 'active' && <p class="working faint">{workingText(items.at(-1))}</p>}
    </section>
  );
}

/**
 * Provides all events of a session, including new ones as they arrive. After the connection was lost, the events
 * continue where they left off.
 */
function useConversation(slug: string) {
  const conversation = useMemo(() => signal(EMPTY_CONVERSATION), [slug]);
  useEffect(() => {
    let pending: StoredEvent[] = [];
    let frame = 0;
    // Draw once per animation frame instead of once per piece, because an answer arrives in hundreds of pieces.
    const draw = (): void => {
      frame = 0;
      conversation.value = foldEvents(conversation.value, pending);
      pending = [];
    };
    const stopFrames = onFrame((heard) => {
      if (heard.type !== 'claude_event' || heard.session !== slug) return;
      pending.push(heard);
      if (frame === 0) frame = requestAnimationFrame(draw);
    });
    const stopLink = link.subscribe((now) => {
      if (now !== 'live') return;
      if (frame !== 0) {
        cancelAnimationFrame(frame);
        draw();
      }
      command({ type: 'subscribe', sessions: [slug], after: { [slug]: conversation.value.seq } });
    });
    return () => {
      cancelAnimationFrame(frame);
      stopFrames();
      stopLink();
      command({ type: 'unsubscribe', sessions: [slug] });
    };
  }, [slug]);
  return conversation;
}

function workingText(last: Item | undefined): string {
  if (last?.kind === 'tool' && last.output === null) return `${last.name} runs…`;
  return last !== undefined && 'isWriting' in last && last.isWriting ? 'Writing…' : 'Thinking…';
}

/** Reports whether the open question concerns this tool call. */
function isAsked(item: Item, question: Question | null): boolean {
  if (item.kind !== 'tool' || item.output !== null || question?.tool == null) return false;
  return item.name === question.tool.name && gistOfCall(item.input) === gistOfCall(question.tool.input);
}

/**
 * Returns what a tool call does, without the folders in the path of its file, because Claude Code reports the whole
 * path (seen in 2.1.329).
 */
function gistOfCall(input: unknown): string {
  return toolGist(input).split('/').at(-1) ?? '';
}

const MINUTE_S = 60;

/**
 * Reports whether an item shows its time. Prompts always do, and messages do if the item above is from a different
 * minute.
 */
function isTimed(item: Item, before: Item | undefined): boolean {
  if (item.kind === 'prompt') return true;
  if (item.kind !== 'text' || before === undefined) return false;
  return Math.floor(item.at / MINUTE_S) !== Math.floor(before.at / MINUTE_S);
}

interface ItemViewProps {
  item: Item;
  isAsked: boolean;
  isFound: boolean;
  isTimed: boolean;
}

const ItemView = memo(function ItemView({ item, isAsked, isFound, isTimed }: ItemViewProps) {
  return (
    <div class={isFound ? 'item found' : 'item'} data-kind={item.kind} data-inside={item.isInside ? '' : undefined}>
      {isTimed && <Time at={item.at} />}
      <ItemContent item={item} isAsked={isAsked} />
    </div>
  );
});

/** @param props.at the time in Unix seconds */
function Time({ at }: { at: number }) {
  const when = new Date(at * 1_000);
  const isToday = when.toDateString() === new Date(now.value).toDateString();
  const time = when.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const day = when.toLocaleDateString([], { month: 'short', day: 'numeric' });
  return (
    <time class="said-at faint" dateTime={when.toISOString()} title={when.toLocaleString()}>
      {isToday ? time : `${day}, ${time}`}
    </time>
  );
}

function ItemContent({ item, isAsked }: { item: Item; isAsked: boolean }) {
  switch (item.kind) {
    case 'prompt':
      return <p class="prompt">{item.text}</p>;
    case 'text':
      return <Markdown text={item.text} />;
    case 'thinking':
      return (
        <details class="fold">
          <summary class="faint">
            <Icon name="chevron" />
            {item.isWriting ? 'Thinking…' : 'Thought'}
          </summary>
          <div class="fold-body thinking">{item.text}</div>
        </details>
      );
    case 'tool':
      return <Tool {...item} isAsked={isAsked} />;
    case 'end':
      return item.error === null ? <p class="end faint">{endText(item)}</p> : <p class="notice bad">{item.error}</p>;
    case 'note':
      return <p class={`notice ${item.isBad ? 'bad' : ''}`}>{item.text}</p>;
  }
}

const TOOL_STATES = {
  needs: 'needs you',
  busy: 'running',
  error: 'failed',
  done: '',
} as const;

function Tool(props: Extract<Item, { kind: 'tool' }> & { isAsked: boolean }) {
  const { name, input, output, isError, isAsked } = props;
  const state = isAsked ? 'needs' : output === null ? 'busy' : isError ? 'error' : 'done';
  return (
    <details class="fold tool" open={SHOWN_OPEN.has(name) || undefined}>
      <summary>
        <Icon name="chevron" />
        <span class="dot" data-tone={state} />
        <strong>{name}</strong>
        <span class="mono clip grow gist">{toolGist(input)}</span>
        <span class="faint">{TOOL_STATES[state]}</span>
      </summary>
      <div class="fold-body stack">
        <ToolInput name={name} input={input} isFileNamed />
        {output !== null && output !== '' && (
          <div class={isError ? 'output is-error' : 'output'}>
            <Code text={output} language={name === 'Read' ? endingOf(toolGist(input)) : ''} />
          </div>
        )}
      </div>
    </details>
  );
}

function endText({ costUsd, durationMs }: { costUsd: number | null; durationMs: number | null }): string {
  const parts = [
    durationMs === null ? null : `${(durationMs / 1000).toFixed(1)} s`,
    costUsd === null ? null : `$${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)}`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
