import type { OptionMeaning } from '../../protocol/index.ts';

/**
 * The meanings of Claude Code's labels in permission, plan, and set-up dialogs (1.0.128 to 2.1.330). The first match
 * counts. Wording and order differ between versions, so an option's number does not reveal its meaning.
 */
const DECISIONS: readonly (readonly [label: RegExp, means: OptionMeaning])[] = [
  [/^(?:type something\b|type here\b|tell claude what\b|other$)/i, 'text'],
  [/^(?:no\b|exit\b|cancel\b|reject\b|deny\b|don['’]t\b|keep planning)/i, 'no'],
  [/^yes\b.*\b(?:bypass|clear context)\b/i, 'more'],
  // "Yes, and switch to default (ask each time) for this session" looks like `more`, but it only leaves plan mode,
  // without accepting a plan (2.1.329).
  [/^yes\b.*\b(?:ask each time|manually)\b/i, 'yes'],
  [
    /^yes\b.*\b(?:always|don['’]t ask again|do not ask again|session|all edits|auto-accept|auto mode|from this project|for\b.*\bproject)|^always\b/i,
    'always',
  ],
  [/^(?:yes\b|allow\b|approve\b|accept\b|proceed\b|continue\b|trust\b|i trust\b|ok\b)/i, 'yes'],
];

/**
 * Claude is free to choose the labels of its own questions, so a label means yes, no, or always only if it consists of
 * exactly that word. The options that Claude Code adds have fixed labels.
 */
const ANSWERS: readonly (readonly [label: RegExp, means: OptionMeaning])[] = [
  [/^(?:type something\.?|type here to tell claude\b.*|other)$/i, 'text'],
  [/^chat about this$/i, 'leave'],
  [/^submit answers\b/i, 'submit'],
  [/^yes\b/i, 'yes'],
  [/^no\b/i, 'no'],
  [/^always\b/i, 'always'],
];

const read = (known: typeof DECISIONS, label: string): OptionMeaning =>
  known.find(([words]) => words.test(label.trim()))?.[1] ?? 'choice';

/** Returns the meaning of an option in a permission, plan, or set-up dialog, based on its label. */
export const meaningOfDecision = (label: string): OptionMeaning => read(DECISIONS, label);

/** Returns the meaning of an option in one of Claude's own questions, based on its label. */
export const meaningOfAnswer = (label: string): OptionMeaning => read(ANSWERS, label);
