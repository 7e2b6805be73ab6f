/** The resources that a server and its world use at one moment. */
export interface Sample {
  /** minutes since the beginning */
  at: number;
  /** the number of turns that sessions had finished by then */
  turns: number;
  /** the resident memory of the server */
  memoryBytes: number;
  /** the number of file descriptors that the server has open */
  descriptors: number;
  /** the number of living processes of the world, including the server */
  processes: number;
  logBytes: number;
  /** the size of the home without its log: database, search index, hook spool */
  homeBytes: number;
  recordingBytes: number;
}

/** The allowed growth between the second quarter of a run, when caches are warm, and its last quarter. */
export const BOUNDS = {
  /** Node's heap varies by about 10 %; 10 MB more are allowed. */
  memoryShare: 0.1,
  memoryBytes: 10_000_000,
  /** A client may be connected, or a file read, at the moment of a sample. */
  descriptors: 6,
  /** A session that is being created or ended at the moment of a sample has five processes. */
  processes: 5,
  /** The log contains faults and facts that a person may look up later, not a line for each turn. */
  logBytesPerTurn: 500,
  /** A turn leaves its deliveries, its status changes, and its searchable text. */
  homeBytesPerTurn: 30_000,
} as const;

/** A run with fewer samples proves nothing. */
const FEWEST_SAMPLES = 12;

/** Returns what grew beyond its bound; empty if nothing did. */
export function growthFaults(samples: readonly Sample[], bounds: typeof BOUNDS = BOUNDS): string[] {
  if (samples.length < FEWEST_SAMPLES) return [`only ${samples.length} looks: the run was too short to tell`];
  const quarter = Math.floor(samples.length / 4);
  const early = samples.slice(quarter, 2 * quarter);
  const late = samples.slice(-quarter);
  const grown = (of: (sample: Sample) => number): [before: number, now: number] => [
    median(early.map(of)),
    median(late.map(of)),
  ];
  const faults: string[] = [];
  const hold = (what: string, [before, now]: [number, number], most: number): void => {
    if (now > most) faults.push(`${what}: ${before} in the second quarter, ${now} in the last, ${most} at most`);
  };
  const memory = grown(({ memoryBytes }) => memoryBytes);
  hold('memory', memory, Math.round(memory[0] * (1 + bounds.memoryShare) + bounds.memoryBytes));
  const descriptors = grown((one) => one.descriptors);
  hold('descriptors', descriptors, descriptors[0] + bounds.descriptors);
  const processes = grown((one) => one.processes);
  hold('processes', processes, processes[0] + bounds.processes);
  const [turnsBefore, turnsNow] = grown(({ turns }) => turns);
  const turns = turnsNow - turnsBefore;
  if (turns <= 0) faults.push('no session did a turn in the last half');
  const log = grown(({ logBytes }) => logBytes);
  hold('log', log, log[0] + turns * bounds.logBytesPerTurn);
  const home = grown(({ homeBytes }) => homeBytes);
  hold('home', home, home[0] + turns * bounds.homeBytesPerTurn);
  return faults;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
