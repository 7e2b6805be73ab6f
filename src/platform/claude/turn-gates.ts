import { existsSync } from 'node:fs';
import { makeSpool } from './spool-directory.ts';
import { gateFile, holdTurn } from './turn-gate.ts';

/** The gates that one server holds; see {@link holdTurn}. */
export interface TurnGates {
  /**
   * Several callers may hold the same gate, which opens when the last of them releases it.
   * @param launchId the id of the launch, as in `CBOS_SESSION`. Returns a function that releases the gate
   */
  hold(launchId: string): () => void;
  /** recreates the gates that are held if their files are gone, with or without the spool */
  renew(): void;
}

export function createTurnGates(spoolDir: string): TurnGates {
  const held = new Map<string, { release: () => void; holders: number }>();
  const putUp = (launchId: string): void => {
    makeSpool(spoolDir);
    held.set(launchId, { release: holdTurn(spoolDir, launchId), holders: held.get(launchId)?.holders ?? 0 });
  };
  return {
    hold: (launchId) => {
      if (!held.has(launchId)) putUp(launchId);
      const gate = held.get(launchId);
      if (gate !== undefined) gate.holders += 1;
      let isHeld = true;
      return () => {
        const now = held.get(launchId);
        if (!isHeld || now === undefined) return;
        isHeld = false;
        now.holders -= 1;
        if (now.holders > 0) return;
        now.release();
        held.delete(launchId);
      };
    },
    renew: () => {
      for (const launchId of held.keys()) if (!existsSync(gateFile(spoolDir, launchId))) putUp(launchId);
    },
  };
}
