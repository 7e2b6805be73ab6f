import { existsSync } from 'node:fs';
import { makeSpool } from './spool-directory.ts';
import { gateFile, holdTurn } from './turn-gate.ts';

/** The gates that one server holds; see {@link holdTurn}. */
export interface TurnGates {
  /** @param launchId as in `CBOS_SESSION`. Returns the function that releases the gate */
  hold(launchId: string): () => void;
  /** sets up held gates again if their files are gone, alone or together with the spool */
  renew(): void;
}

export function createTurnGates(spoolDir: string): TurnGates {
  const held = new Map<string, () => void>();
  const putUp = (launchId: string): void => {
    makeSpool(spoolDir);
    held.set(launchId, holdTurn(spoolDir, launchId));
  };
  return {
    hold: (launchId) => {
      putUp(launchId);
      return () => {
        held.get(launchId)?.();
        held.delete(launchId);
      };
    },
    renew: () => {
      for (const launchId of held.keys()) if (!existsSync(gateFile(spoolDir, launchId))) putUp(launchId);
    },
  };
}
