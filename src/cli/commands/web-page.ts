import type { Command } from 'commander';
import { settingVariable, signInUrl } from '../../protocol/index.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';

/** Adds `open`. */
export function addWebPage(program: Command, context: CliContext): void {
  const { out, host, io } = context;

  describe(program.command('open'), {
    group: 'server',
    summary: 'open the web page, signed in; start CBOS if needed',
    more:
      'Prints a link that signs in one browser, once, within ten minutes. On a desktop, the link opens in the browser.  ' +
      `A phone needs an address that it can reach: put an HTTPS proxy in front of the server, and set ${settingVariable('public_url')} to the proxy's address.`,
    examples: [
      ['cbos open', "open it in this machine's browser"],
      ['cbos open --qr', 'show the link as a QR code, for a phone'],
    ],
  })
    .option('--qr', 'show the link as a QR code, and do not open it')
    .option('--json', 'print the link as JSON, and do not open it')
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
          out.notice(
            `a phone cannot reach this address: put the server behind HTTPS and set ${settingVariable('public_url')}`,
          );
        const { renderUnicodeCompact } = await import('uqr');
        // The QR code is drawn with its light modules, which suits the usual dark background. Scanners also accept an
        // inverted code.
        out.lines(renderUnicodeCompact(url, { border: 2 }).split('\n'));
      } else if (io.stdout.isTTY === true && (await host.openInBrowser(url))) {
        out.line('Opened in the browser. If nothing happened, open this link, which works once:');
      } else {
        out.line('Open this link in a browser. It works once, within ten minutes:');
      }
      out.line(url);
    });
}

function isThisMachineOnly(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
