/** Which of the two sets of rules allow a command line: `documentedRules`, `generousRules`. */
type AllowedBy = 'both' | 'documented' | 'generous' | 'neither';

/** A command line, and which rules allow it. */
export type DailyCommand = readonly [text: string, by: AllowedBy];
