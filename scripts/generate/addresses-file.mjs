/**
 * Renders `src/protocol/addresses.ts`: what a client needs to know about each route, without the schemas.
 * @param {Readonly<Record<string, { method: string, path: string, right?: string }>>} routes
 * @param {readonly string[]} before the machine calls as they were; they keep their order, because the order of an enum
 *   is part of the description of the API
 */
export function addressesFile(routes, before) {
  const addresses = Object.entries(routes).map(
    ([name, { method, path }]) => `  ${name}: { method: '${method}', path: '${path}' },`,
  );
  const callable = Object.keys(routes).filter((name) => routes[name]?.right !== undefined);
  const calls = [
    ...before.filter((name) => callable.includes(name)),
    ...callable.filter((name) => !before.includes(name)),
  ];
  return `// \`npm run generate\` writes this file from the table of routes (\`routes.ts\`).

/**
 * The addresses of all requests in \`ROUTES\`, without their schemas. A client that only sends requests starts three
 * times as fast if it does not load the schemas.
 */
export const ADDRESSES = {
${addresses.join('\n')}
} as const;

export type Address = (typeof ADDRESSES)[keyof typeof ADDRESSES];

/** The requests that one machine can send to another, which are the routes with a \`right\`. */
export const MACHINE_CALLS = [
${calls.map((name) => `  '${name}',`).join('\n')}
] as const;
export type MachineCallName = (typeof MACHINE_CALLS)[number];
`;
}
