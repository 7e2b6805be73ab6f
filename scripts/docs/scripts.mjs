import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Moves the scripts that VitePress writes into each page (they set dark mode before the first paint) to a file, because
 * the server's policy forbids inline scripts.
 * @param {string} html
 * @param {string} _file
 * @param {import('vitepress').TransformContext} context
 */
export function moveScripts(html, _file, { siteConfig: { outDir, assetsDir, site } }) {
  return html.replaceAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g, (_tag, code) => {
    const hash = createHash('sha256').update(code).digest('hex').slice(0, 8);
    const name = `${assetsDir}/inline.${hash}.js`;
    mkdirSync(join(outDir, assetsDir), { recursive: true });
    writeFileSync(join(outDir, name), code);
    return `<script src="${site.base}${name}"></script>`;
  });
}
