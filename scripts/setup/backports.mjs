import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from '../run-command.mjs';

/** The mirrors of Debian that this machine uses, with the code names of their releases. */
const ASK_MIRRORS = ['indextargets', '--format', '$(REPO_URI) $(CODENAME)', 'Created-By: Packages', 'Origin: Debian'];

/**
 * Installs packages from the backports of the Debian release that is running. The sources of the machine stay as they
 * are. Does nothing on other systems.
 * @param {readonly string[]} args the arguments of apt-get that install the packages
 * @param {(args: readonly string[]) => Promise<{ ok: boolean, output: string }>} run runs apt-get as root
 * @returns {Promise<boolean>} whether the packages were installed
 */
export async function installFromBackports(args, run) {
  const { output } = await capture('apt-get', ASK_MIRRORS);
  // The code names of updates and security updates contain a hyphen.
  const [, mirror, codename] = /^(\S+) ([a-z]+)$/m.exec(output) ?? [];
  if (mirror === undefined || codename === undefined) return false;
  const dir = await mkdtemp(join(tmpdir(), 'backports-'));
  try {
    const file = join(dir, 'sources.list');
    await writeFile(file, `deb ${mirror} ${codename}-backports main\n`);
    const settings = [`Dir::Etc::SourceList=${file}`, 'Dir::Etc::SourceParts=-', 'APT::Get::List-Cleanup=0'];
    const options = settings.flatMap((setting) => ['-o', setting]);
    await run([...options, 'update']);
    return (await run([...options, ...args])).ok;
  } finally {
    await rm(dir, { recursive: true });
  }
}
