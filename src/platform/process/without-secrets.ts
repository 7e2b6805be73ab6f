/**
 * Returns an environment for a program of somebody else, without the secrets of CBOS. ssh, for example, may be
 * configured to send variables on.
 */
export function withoutSecrets(base: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { CBOS_TOKEN: _, CBOS_FLEET_INVITATION: __, ...rest } = base;
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
