// Draws the icons' bitmaps from icon.svg with Chromium. Run by hand after the drawing has changed:
//   node apps/adjuster/icons.mjs
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const folder = new URL('./public/', import.meta.url);
const drawing = readFileSync(new URL('icon.svg', folder), 'utf8');
const square = drawing.replace('rx="14"', 'rx="0"');
// Status bars show the icon's shape in a single color.
const shape = drawing
  .replace(/<rect[^>]*>/, '')
  .replaceAll('#8fd3f4', '#fff')
  .replace('opacity=".6"', '');

const inner = (svg, scale) =>
  svg.replace(
    /(<rect[^>]*>)([\s\S]*)<\/svg>/,
    `$1<g transform="translate(${32 * (1 - scale)} ${32 * (1 - scale)}) scale(${scale})">$2</g></svg>`,
  );

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
for (const [name, size, svg] of [
  ['icon-192.png', 192, drawing],
  ['icon-512.png', 512, drawing],
  ['icon-maskable-512.png', 512, inner(square, 0.78)],
  ['badge-96.png', 96, shape],
]) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${svg}`);
  await page.screenshot({ path: new URL(name, folder).pathname, omitBackground: true });
}
await browser.close();
