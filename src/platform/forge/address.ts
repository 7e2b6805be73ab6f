/** A repository on a forge. */
export interface ForgeRepository {
  /** the host, including the port if it is not the default one */
  host: string;
  /** on GitLab, a group with its subgroups: `group/subgroup` */
  owner: string;
  name: string;
}

/** The hosts of GitHub and GitLab for SSH connections through a firewall. */
const SAME_HOST: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
};
const NAMED = /^\/?([\w.-]+(?:\/[\w.-]+)*)\/([\w.-]+?)(?:\.git)?\/?$/;
const SHORT_SSH = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/;

/**
 * Parses the address of a remote: `git@HOST:OWNER/NAME.git`, `https://…`, or `ssh://…`. Returns null for any other
 * form.
 */
export function forgeRepository(address: string): ForgeRepository | null {
  const short = SHORT_SSH.exec(address);
  if (short !== null) return named(short[1] ?? '', short[2] ?? '');
  if (!URL.canParse(address)) return null;
  const { protocol, host, hostname, pathname } = new URL(address);
  // The API does not use the port for SSH.
  if (protocol === 'ssh:') return named(hostname, pathname);
  return protocol === 'https:' ? named(host, pathname) : null;
}

function named(host: string, path: string): ForgeRepository | null {
  const [, owner, name] = NAMED.exec(path) ?? [];
  if (owner === undefined || name === undefined || host === '') return null;
  const lower = host.toLowerCase();
  return { host: SAME_HOST[lower] ?? lower, owner, name };
}

/** Formats a repository as `HOST/OWNER/NAME`. */
export function repositoryText({ host, owner, name }: ForgeRepository): string {
  return `${host}/${owner}/${name}`;
}
