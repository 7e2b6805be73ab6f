/** How long each picture is shown: long enough to read its question. */
const SECONDS_EACH = 5;

/**
 * Combines pictures of the terminal UI, as taken by `npm run pictures`, into one picture that shows them in turn. The
 * animation uses only styles, because GitHub does not run scripts in pictures. Readers who prefer reduced motion see
 * only the first picture.
 * @param {readonly string[]} pictures the SVG pictures, all of the same size
 */
export function movingPicture(pictures) {
  const [first = ''] = pictures;
  const [head = ''] = /^<svg[^>]*>/.exec(first) ?? [];
  const share = 100 / pictures.length;
  const frames = pictures.map((picture, index) => {
    const inside = picture.slice(picture.indexOf('>') + 1, picture.lastIndexOf('</svg>')).trim();
    return `<g class="frame" style="animation-delay:${index * SECONDS_EACH}s">\n${inside}\n</g>`;
  });
  return `${head}
<style>
.frame { visibility: hidden; animation: turn ${pictures.length * SECONDS_EACH}s step-end infinite; }
.frame:first-of-type { visibility: visible; }
@keyframes turn { 0% { visibility: visible; } ${share.toFixed(2)}% { visibility: hidden; } }
@media (prefers-reduced-motion: reduce) { .frame { animation: none; } }
</style>
${frames.join('\n')}
</svg>
`;
}
