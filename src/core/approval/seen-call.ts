import { type PlainText, plainText } from './command-meaning.ts';
import { fitsPath, type PathFit } from './path-pattern.ts';
import {
  baseOfRule,
  basesOf,
  commandOf,
  fieldOf,
  fileOf,
  MOST_PAIRS,
  type Places,
  pathsOfCommand,
  placeKey,
} from './places.ts';
import type { ApprovalRule, AskedCall } from './rule.ts';
import type { ReadCommand } from './shell-command.ts';

/** A path in a call, with the places where it may lead; null for a place that is unknown. */
export interface SeenPath {
  path: string;
  places: readonly (string | null)[];
  /** whether the call is sure to open the path, and not only a text in which the path stands */
  isSure: boolean;
  /** whether the call may open everything below the path */
  takesFolders: boolean;
}

/** A call that has been parsed, so that it need not be parsed for each rule. */
export class SeenCall {
  readonly call: AskedCall;
  /** null for a tool that runs no command, and for input that cannot be read */
  readonly command: ReadCommand | null;
  readonly home: string;
  #text: PlainText | null = null;
  readonly #places: Places;
  readonly #bases: readonly (string | null)[];
  #paths: readonly SeenPath[] | null = null;

  /** @param where.home CBOS's own home, with symbolic links resolved */
  constructor(call: AskedCall, { home, places }: { home: string; places: Places }) {
    this.call = call;
    this.command = commandOf(call);
    this.home = home;
    this.#places = places;
    this.#bases = this.command === null ? [] : basesOf(call, this.command);
  }

  /** The text of the command, without quotes. */
  get text(): PlainText {
    this.#text ??= plainText(fieldOf(this.call.input, 'command') ?? '');
    return this.#text;
  }

  /** Returns the file that a file tool names. */
  file(): SeenPath {
    const path = fileOf(this.call);
    const { cwd } = this.call;
    const one = { isSure: true, takesFolders: true };
    if (path === null || cwd === null) return { path: this.call.tool, places: [], ...one };
    return { path, places: [this.#places.get(placeKey(cwd, path)) ?? null], ...one };
  }

  /** Every path that the command may name. After {@link MOST_PAIRS} places, one unknown path stands for the rest. */
  get paths(): readonly SeenPath[] {
    this.#paths ??= this.#findPaths();
    return this.#paths;
  }

  #findPaths(): SeenPath[] {
    const { command } = this;
    const unknown = (path: string): SeenPath => ({ path, places: [], isSure: false, takesFolders: true });
    if (command === null) return [unknown(this.call.tool)];
    const found: SeenPath[] = [];
    let pairs = 0;
    for (const { path, word, isSure, takesFolders } of pathsOfCommand(command)) {
      const places = path === null ? [] : this.placesOf(path);
      pairs += places.length;
      if (pairs > MOST_PAIRS) return [...found, unknown(word)];
      found.push({ path: word, places, isSure, takesFolders });
    }
    return found;
  }

  /** Returns where a path in a command may lead. */
  placesOf(path: string): (string | null)[] {
    return this.#bases.map((base) => (base === null ? null : (this.#places.get(placeKey(base, path)) ?? null)));
  }

  /** Compares a place with the paths of a rule. */
  fitOf(rule: ApprovalRule, place: string | null, isStrict: boolean): PathFit {
    const base = baseOfRule(rule, this.call);
    if (place === null || base === null) return 'perhaps';
    const fits = rule.paths.map((pattern) => fitsPath(pattern, { place, base, places: this.#places, isStrict }));
    return (['fits', 'perhaps', 'holds'] as const).find((fit) => fits.includes(fit)) ?? 'no';
  }
}
