import type { StreamFrame } from '../../protocol/index.ts';

/** Reports the sessions of another machine to a client. */
export type MachineFrame = Extract<StreamFrame, { type: 'machine' }>;

/** Returns what a frame says about the machine itself, without the age, which is different in every frame. */
export function machineText({ age_ms: _, sessions: __, ...machine }: MachineFrame): string {
  return JSON.stringify(machine);
}
