/** What a server and its world take at one moment. */
export interface Sample {
  /** in minutes since the begin */
  at: number;
  /** turns that sessions had done by then */
  turns: number;
  /** resident memory of the server */
  memoryBytes: number;
  /** file descriptors that the server has open */
  descriptors: number;
  /** living processes of the world, the server among them */
  processes: number;
  logBytes: number;
  /** the home without its log: database, search index, hook spool */
  homeBytes: number;
  recordingBytes: number;
}

/** How much may be added between the second quarter of a run, when caches are warm, and its last quarter. */
export const BOUNDS = {
  /** Node's heap breathes by some 10 %; on top of that 10 MB */
  memoryShare: 0.1,
  memoryBytes: 10_000_000,
  /** a client that is connected at the moment of a look, a file that is being read */
  descriptors: 6,
  /** a session that is being made or ended at the moment of a look has five */
  processes: 5,
  /** Lines are written for what went wrong and for what a person would ask for later, not for each turn. */
  logBytesPerTurn: 500,
  /** A turn leaves its deliveries, its changes of status and what can be searched of it. */
  homeBytesPerTurn: 30_000,
} as const;

/** Fewer looks than this tell nothing. */
const FEWEST_SAMPLES = 12;

/** What grew beyond its bound. Empty when all is flat. */
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
