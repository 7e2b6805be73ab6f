import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** A finding of axe that keeps people from using the page. */
export interface Finding {
  id: string;
  impact: string | null;
  where: string[];
}

const RUN = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(({ html }) => html.slice(0, 160)) })))`;

/** Loads axe into a page from outside. The page's own policy forbids this, so its context needs `bypassCSP`. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** Returns what axe finds serious or critical in what a page shows now. */
export async function seriousFindings(page: Page): Promise<Finding[]> {
  const found = (await page.evaluate(RUN)) as Finding[];
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}
