import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GivenAnswer, Ledger, SentText } from './client.ts';
import type { Witness } from './witness.ts';

export interface Torture {
  ledger: Ledger;
  witness: Witness;
  /** the directory in which granted commands leave their files */
  grantsDir: string;
  /** each delivery that the server knows at the end, by its text */
  finals: ReadonlyMap<string, { id: string; status: string }>;
}

/** An interrupt may end a turn between Claude Code's taking of a prompt and its first request; it takes some time to be confirmed. */
const INTERRUPT_REACH_MS = 4_000;

/** Everything that broke a promise. Empty when all is well. */
export function faultsOf(torture: Torture): string[] {
  return [
    ...torture.ledger.faults,
    ...torture.witness.faults(),
    ...textFaults(torture),
    ...orderFaults(torture),
    ...dialogFaults(torture),
  ];
}

function textFaults({ ledger, witness, finals }: Torture): string[] {
  return ledger.texts.flatMap((sent) => {
    const hasArrived = witness.arrived(sent.session).includes(sent.mark);
    const final = finals.get(sent.text.trim()) ?? finals.get(sent.text) ?? null;
    const says = (fault: string): string[] => [
      `${fault}: ${sent.mark} (answered ${JSON.stringify(sent.answer)}, now ${JSON.stringify(final)})`,
    ];
    if (sent.answer !== null && 'refused' in sent.answer) {
      if (final !== null && final.status !== 'failed') return says('refused, and yet journalled');
      return hasArrived && final === null ? says('refused, and yet it arrived') : [];
    }
    if (final === null) return hasArrived || sent.answer !== null ? says('not in the journal') : [];
    switch (final.status) {
      case 'delivered':
        return hasArrived || wasInterrupted(ledger, sent) ? [] : says('lost');
      case 'queued':
        return says('never typed');
      case 'failed':
        return hasArrived ? says('said to have failed, and yet it arrived') : [];
      case 'cancelled':
        return says('cancelled by nobody');
      default:
        // `sent` and `unknown` promise nothing but that it is not typed twice, which the witness sees.
        return [];
    }
  });
}

function wasInterrupted(ledger: Ledger, sent: SentText): boolean {
  return ledger.interrupts.some(
    ({ session, from, to, result }) =>
      session === sent.session &&
      result !== 'nothing_running' &&
      to >= sent.from &&
      (sent.queue || from <= sent.to + INTERRUPT_REACH_MS),
  );
}

/** What one client sent to one session in one way arrives in that order. A text that is held waits, so one that is not may pass it. */
function orderFaults({ ledger, witness }: Torture): string[] {
  const last = new Map<string, { place: number; mark: string }>();
  return ledger.texts.flatMap((sent) => {
    const place = witness.arrived(sent.session).indexOf(sent.mark);
    if (place < 0) return [];
    const lane = `${sent.session} ${sent.sender} ${sent.answer !== null && 'status' in sent.answer && sent.answer.status === 'queued'}`;
    const before = last.get(lane);
    last.set(lane, { place, mark: sent.mark });
    return before !== undefined && before.place > place
      ? [`out of order: ${sent.mark} came before ${before.mark}`]
      : [];
  });
}

/** Typed, whatever came of it. */
const MAY_HAVE_ANSWERED: readonly (string | null)[] = ['answered', 'not_confirmed', null];

function dialogFaults({ ledger, witness, grantsDir }: Torture): string[] {
  const faults: string[] = [];
  const answered = new Set<string>();
  for (const { question, result } of ledger.answers) {
    if (result !== 'answered') continue;
    if (answered.has(question.id)) faults.push(`answered twice: ${question.id}`);
    answered.add(question.id);
  }
  for (const [id, call] of witness.calls()) {
    const isAbout = ({ question }: GivenAnswer): boolean =>
      subjectOf(JSON.stringify(question.tool?.input ?? null)) === subjectOf(call.input);
    const given = ledger.answers.filter((one) => isAbout(one) && MAY_HAVE_ANSWERED.includes(one.result));
    const result = witness.results().get(id) ?? '';
    const file = /granted-([A-Za-z0-9.]+)/.exec(call.input)?.[0];
    if (call.name === 'Bash' && file !== undefined) {
      const isGranted = existsSync(join(grantsDir, file));
      if (isGranted && !given.some(({ choice }) => choice === 'yes')) faults.push(`granted by accident: ${file}`);
      const isRefused = given.some((one) => one.result === 'answered' && one.choice === 'no');
      if (isGranted && isRefused) faults.push(`granted, though no was accepted: ${file}`);
      if (!isGranted && given.some((one) => one.result === 'answered' && one.choice === 'yes')) {
        faults.push(`yes was accepted, but not granted: ${file}: ${result}`);
      }
    }
    if (call.name === 'AskUserQuestion') {
      const told = /\\"=\\"([^"\\]+)\\"/.exec(result)?.[1];
      if (told !== undefined && !given.some(({ choice }) => choice === told)) {
        faults.push(`told the model ${told}, which nobody answered: ${result}`);
      }
      const accepted = given.find((one) => one.result === 'answered');
      if (accepted !== undefined && told !== accepted.choice) {
        faults.push(`answered ${accepted.choice}, but the model was told: ${result}`);
      }
    }
  }
  return faults;
}

/** The command or the question itself: Claude Code hands a call's fields on in an order of its own. */
const subjectOf = (input: string): string => /"(?:command|question)":"([^"]+)"/.exec(input)?.[1] ?? input;
