import type { Session } from '../../src/protocol/index.ts';
import { PROGRAM } from '../../test/harness/cbos.ts';
import { followAll, startGrowing } from '../growing-recordings.ts';
import { agentTerminals, type Peer } from './peer.ts';

/** CBOS itself, with the Screen and the `script` of each session. */
export const cbosPeer: Peer = {
  name: 'CBOS',
  async hold(world, sessions) {
    const growing = await startGrowing(world, sessions);
    return {
      list: [process.execPath, PROGRAM, 'ls'],
      async follow() {
        const { ages } = await followAll(world, growing);
        const [first] = (await growing.cbos.call<Session[]>('GET', '/sessions')).body;
        if (first === undefined) throw new Error('CBOS has no session');
        return {
          terminal: agentTerminals(world)[0] ?? '',
          get ages() {
            return ages();
          },
        };
      },
    };
  },
};
