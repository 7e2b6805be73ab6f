import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirect,
  type SyntaxNode,
  type Word,
} from 'unbash';
import type { RuleReason } from '../../protocol/index.ts';

/** A program and its arguments. Every word is fully known. */
export interface SimpleCommand {
  /** the variables that precede the program, as `NAME=value`, in order */
  assignments: readonly string[];
  /** the program and its arguments, with quotes removed */
  words: readonly string[];
}

/** A file that is opened by a redirection. */
export interface OpenedFile {
  access: 'Read' | 'Write';
  path: string;
}

/** Why a command is not fully known, with the part of the command that causes the doubt. */
export interface Unclear {
  reason: RuleReason;
  about: string;
}

export interface ReadCommand {
  /** every simple command in the text, if all of the text is understood */
  commands: readonly SimpleCommand[];
  files: readonly OpenedFile[];
  /** null if the text can do nothing beyond what `commands` and `files` list */
  unclear: Unclear | null;
  /**
   * the words of every simple command in the text, as far as they are known, including commands in substitutions and
   * compound commands
   */
  seen: readonly (readonly string[])[];
  /** for each word in `seen`, whether the word is fully known */
  known: readonly (readonly boolean[])[];
  /** the values of the variables that are set anywhere in the text, as far as they are known */
  assigned: readonly string[];
  /** whether the text defines shell functions */
  definesFunctions: boolean;
  /** the files that redirections anywhere in the text open, as far as their names are known */
  opened: readonly OpenedFile[];
}

/** The maximum length of a command that is parsed. Rules are not meant for longer commands. */
const MOST_CHARACTERS = 10_000;
/** The maximum nesting depth, which is limited because the parser is recursive. */
const MOST_DEPTH = 100;

/**
 * Matches a word that contains nothing that bash or zsh would expand. The parser also checks this, so a bug in only one
 * of the two checks lets nothing through. In zsh, a leading `=` stands for the path of a program.
 */
const PLAIN_WORD = /^(?!=)(?:[A-Za-z0-9_.,:@%+/=-]|'[^']*'|"[^"$`\\!]*")+$/;
const PLAIN_ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=(?:[A-Za-z0-9_.,:@%+/=-]|'[^']*'|"[^"$`\\!]*")*$/;
/**
 * Words that contain special characters but that no shell expands: the brackets of a test, and the terminators of `find
 * -exec`.
 */
const KNOWN_SIGNS: ReadonlySet<string> = new Set(['[', '{}', '\\;']);
/** Matches what may separate words: the operators that join commands. */
const JOINTS = /^[\s&|;(){}!]*$/;

/** Works out what a shell would do with a command line, and reports when that cannot be determined. */
export function readCommand(text: string): ReadCommand {
  const nothing = { commands: [], files: [], seen: [], known: [], assigned: [], definesFunctions: false, opened: [] };
  if (text.length > MOST_CHARACTERS) return { ...nothing, unclear: { reason: 'too_long', about: '' } };
  const reading = new Reading(text);
  const script = parse(text);
  reading.look(script, 0);
  const strange = strangeCharacter(text);
  if (strange !== null) reading.doubt(strange.reason, strange.about);
  reading.read(script);
  return reading.result();
}

function strangeCharacter(text: string): Unclear | null {
  const control = /[\x00-\x08\x0b-\x1f\x7f]/.exec(text)?.[0];
  if (control !== undefined) return { reason: 'control_character', about: JSON.stringify(control) };
  const other = /[^\x00-\x7f]/u.exec(text)?.[0];
  return other === undefined ? null : { reason: 'not_ascii', about: other };
}

class Reading {
  readonly #text: string;
  /** the parts of the text that were parsed neither as words nor as redirections */
  #rest: string[];
  readonly #commands: SimpleCommand[] = [];
  readonly #files: OpenedFile[] = [];
  readonly #seen: string[][] = [];
  readonly #known: boolean[][] = [];
  readonly #assigned: string[] = [];
  #definesFunctions = false;
  readonly #opened: OpenedFile[] = [];
  #unclear: Unclear | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#rest = [...text].length === text.length ? [...text] : text.split('');
  }

  result(): ReadCommand {
    const between = this.#rest.join('');
    if (!JOINTS.test(between)) this.doubt('syntax', between.trim());
    if (this.#commands.length === 0) this.doubt('syntax', '');
    return {
      ...{ commands: this.#commands, files: this.#files, unclear: this.#unclear, seen: this.#seen },
      ...{ known: this.#known, assigned: this.#assigned, definesFunctions: this.#definesFunctions },
      opened: this.#opened,
    };
  }

  /** The parser reports only its first doubt. */
  doubt(reason: RuleReason, about: string): void {
    this.#unclear ??= { reason, about: about.slice(0, 100) };
  }

  /** Collects every simple command, wherever it occurs. */
  look(node: SyntaxNode, depth: number): void {
    if (depth > MOST_DEPTH) {
      this.doubt('syntax', '');
      return;
    }
    if (node.type === 'Command') {
      const { name, prefix, suffix } = node;
      const words = [name, ...suffix].flatMap((part) => (part?.type === 'Word' ? [part] : []));
      if (words.length > 0) {
        this.#seen.push(words.map(({ value }) => value));
        this.#known.push(words.map((word) => this.#isKnown(word)));
      }
      for (const part of prefix) this.#seeAssignment(part);
      for (const part of suffix) this.#seeAssignment(part);
    }
    if (node.type === 'Function') this.#definesFunctions = true;
    if (node.type === 'Redirect') this.#seeRedirect(node);
    forEachChild(node, (child) => this.look(child, depth + 1));
  }

  #seeAssignment(part: Command['prefix' | 'suffix'][number]): void {
    if (part.type === 'Assignment') this.#assigned.push(assignedBy(unquote(this.#slice(part))));
  }

  /** Notes which file a redirection opens, wherever it stands. */
  #seeRedirect({ operator, target }: Redirect): void {
    if (target === undefined || isDescriptor(operator, target) || target.value === '/dev/null') return;
    this.#opened.push({ access: operator === '<' || operator === '<&' ? 'Read' : 'Write', path: target.value });
  }

  read(node: ParsedScript): void {
    const [error] = node.errors ?? [];
    if (error !== undefined) this.doubt('syntax', error.message);
    if (node.shebang !== undefined) this.doubt('syntax', '#!');
    for (const statement of node.commands) this.#readNode(statement.command);
  }

  #readNode(node: SyntaxNode): void {
    switch (node.type) {
      case 'Command':
        this.#readSimple(node);
        return;
      case 'AndOr':
      case 'Pipeline':
        if (node.type === 'Pipeline' && node.prefixes.some(({ type }) => type === 'Time')) {
          this.doubt('construct', 'time');
        }
        for (const command of node.commands) this.#readNode(command);
        return;
      case 'Subshell':
      case 'BraceGroup':
        for (const statement of node.body.commands) this.#readNode(statement.command);
        return;
      case 'Redirected':
        this.#readNode(node.command);
        for (const redirect of node.redirects) this.#readRedirect(redirect);
        return;
      default:
        this.doubt('construct', node.type);
    }
  }

  #readSimple(node: Command): void {
    const { name } = node;
    const assignments: string[] = [];
    const words: string[] = [];
    if (name === undefined) this.doubt(node.prefix.length > 0 ? 'assignment' : 'syntax', this.#slice(node));
    else words.push(this.#readWord(name));
    for (const part of node.prefix) {
      if (part.type === 'Assignment') assignments.push(this.#readAssignment(part));
      else this.#readRedirect(part);
    }
    for (const part of node.suffix) {
      if (part.type === 'Word') words.push(this.#readWord(part));
      else if (part.type === 'Assignment') words.push(this.#readAssignment(part));
      else this.#readRedirect(part);
    }
    this.#commands.push({ assignments, words });
  }

  #readWord(word: Word): string {
    this.#take(word);
    const text = this.#slice(word);
    if (!PLAIN_WORD.test(text)) this.doubt(/[\\]/.test(text) ? 'quoting' : 'expansion', text);
    else if (word.value !== unquote(text)) this.doubt('quoting', text);
    return word.value;
  }

  #isKnown(word: Word): boolean {
    const text = this.#slice(word);
    return KNOWN_SIGNS.has(text) || (PLAIN_WORD.test(text) && word.value === unquote(text));
  }

  #readAssignment(part: Extract<Command['prefix'][number], { type: 'Assignment' }>): string {
    this.#take(part);
    const text = this.#slice(part);
    if (!PLAIN_ASSIGNMENT.test(text)) this.doubt('expansion', text);
    return unquote(text);
  }

  #readRedirect(part: Command['redirects'][number]): void {
    this.#take(part);
    const text = this.#slice(part);
    const { target } = part.type === 'Redirect' ? part : {};
    if (part.type !== 'Redirect' || target === undefined || part.descriptor?.type === 'FileDescriptorVariable') {
      this.doubt('redirection', text);
      return;
    }
    if (isDescriptor(part.operator, target)) return;
    const isOther = part.operator === '<&' || part.operator === '<>';
    if (!PLAIN_WORD.test(this.#slice(target)) || isOther) {
      this.doubt('redirection', text);
      return;
    }
    if (target.value === '/dev/null') return;
    this.#files.push({ access: part.operator === '<' ? 'Read' : 'Write', path: target.value });
  }

  #take({ pos, end }: { pos: number; end: number }): void {
    for (let at = pos; at < end; at += 1) this.#rest[at] = ' ';
  }

  #slice({ pos, end }: { pos: number; end: number }): string {
    return this.#text.slice(pos, end);
  }
}

/** A redirection such as `2>&1` opens no file. */
const isDescriptor = (operator: Redirect['operator'], target: Word): boolean =>
  (operator === '>&' || operator === '<&') && /^[0-9]$/.test(target.value);

/** Returns what `NAME=value` or `NAME+=value` sets. */
const assignedBy = (assignment: string): string => assignment.slice(assignment.indexOf('=') + 1);

/** Removes the quotes from a plain word. */
const unquote = (text: string): string => text.replace(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two ?? '');
