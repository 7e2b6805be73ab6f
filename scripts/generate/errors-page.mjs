/**
 * @typedef {{ status: number, exit: number, meaning: string, hint: string }} CatalogueEntry
 */

const INTRODUCTION = `# Errors

Every error that CBOS expects has a code. Over HTTP, the error is the body
\`{"error": {"code": "…", "message": "…", "hint": "…"}}\`, with the HTTP status in the table. Over WebSocket, it is the \`error\` of a
result. The command line prints \`message\` and \`hint\` on one line to standard error, and exits with the exit code in the table.

\`message\` describes what happened, and \`hint\` how to fix it. Both may be more precise than the general wording on this page.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such session, 4 refused in this state, 5 no server, 6 timed out.

\`npm run generate\` writes this page from \`src/protocol/errors.ts\`. \`npm run check\` fails if the page is out of date.
`;

/**
 * Returns the page that lists all errors.
 * @param {Record<string, CatalogueEntry>} errors
 * @returns {string} Markdown
 */
export function errorsPage(errors) {
  const rows = Object.entries(errors).map(
    ([code, { status, exit, meaning, hint }]) =>
      `| \`${code}\` | ${status} | ${exit} | ${cell(meaning)} | ${cell(hint)} |`,
  );
  return [INTRODUCTION, '| code | HTTP | exit | what it means | the cure |', '|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}
