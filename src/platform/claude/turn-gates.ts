import { makeSpool } from './spool-directory.ts';
import { holdTurn } from './turn-gate.ts';

/** The gates that one server holds; see {@link holdTurn}. */
export interface TurnGates {
  /** @param launchId as in `CBOS_SESSION`. Returns what lets go */
  hold(launchId: string): () => void;
  /** the spool was removed, and the gates with it: those that are held are put up again */
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
    renew: () => [...held.keys()].forEach(putUp),
  };
}
