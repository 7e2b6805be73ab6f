import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Reply } from '../../src/demo/scenes/scene.ts';
import type { ClaudeWorld } from './claude.ts';

const PREFIX = 'anthropic-ratelimit-unified';

/** Returns how the model refuses a request at a five-hour usage limit. @param ends in Unix seconds */
export const limitUntil = (ends: number): Reply => ({
  kind: 'error',
  status: 429,
  type: 'rate_limit_error',
  message: "This request would exceed your account's rate limit. Please try again later.",
  headers: {
    [`${PREFIX}-status`]: 'rejected',
    [`${PREFIX}-reset`]: String(ends),
    [`${PREFIX}-representative-claim`]: 'five_hour',
    [`${PREFIX}-5h-status`]: 'rejected',
    [`${PREFIX}-5h-utilization`]: '1',
    [`${PREFIX}-5h-reset`]: String(ends),
    'x-should-retry': 'false',
  },
});

/**
 * Returns the environment for sessions with a subscription, which have usage limits. Claude Code may then contact hosts
 * other than the model's. The environment names a proxy that lets nothing through.
 */
export async function subscription(world: ClaudeWorld): Promise<Record<string, string>> {
  const nowhere = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(nowhere, 'listening');
  world.onDispose(() => new Promise((resolve) => nowhere.close(() => resolve())));
  const { port } = nowhere.address() as AddressInfo;
  const proxy = { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '127.0.0.1' };
  return { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'stand-in', ...proxy };
}
