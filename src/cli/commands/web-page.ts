import type { Command } from 'commander';
import { signInUrl } from '../../protocol/index.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';

/** Adds `open`. */
export function addWebPage(program: Command, context: CliContext): void {
  const { out, host, io } = context;

  describe(program.command('open'), {
    group: 'server',
    summary: 'open the web page, signed in; start CBOS where it does not run yet',
    more:
      'Prints a link that signs one browser in, once, within ten minutes, and opens it where there is a desktop. ' +
      'A phone needs an address that it can reach: an HTTPS proxy in front of the server, its address in CBOS_PUBLIC_URL.',
    examples: [
      ['cbos open', 'in the browser of this machine'],
      ['cbos open --qr', 'for a phone: the link as a picture in the terminal'],
    ],
  })
    .option('--qr', 'show the link as a QR code, open nothing')
    .option('--json', 'the link as JSON, open nothing')
    .action(async (options: { qr?: boolean; json?: boolean }) => {
      await host.startInBackground({ flags: {}, onProgress: out.notice });
      const client = await context.client();
      const { code, expires_at } = await client.call('createSignInLink');
      const { public_url } = (await context.settings()).settings;
      const url = signInUrl(public_url ?? (await host.address()), code);
      if (options.json === true) {
        out.json({ url, expires_at });
        return;
      }
      if (options.qr === true) {
        if (isThisMachineOnly(url))
          out.notice('a phone cannot reach this address: put it behind HTTPS and set CBOS_PUBLIC_URL');
        const { renderUnicodeCompact } = await import('uqr');
        // Light modules are drawn, which is the right way round on a dark terminal, the usual one. Scanners accept
        // both.
        out.lines(renderUnicodeCompact(url, { border: 2 }).split('\n'));
      } else if (io.stdout.isTTY === true && (await host.openInBrowser(url))) {
        out.line('Opened in the browser. Should nothing have happened, this link does the same, once:');
      } else {
        out.line('Open this in a browser; it signs in once, within ten minutes:');
      }
      out.line(url);
    });
}

function isThisMachineOnly(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
