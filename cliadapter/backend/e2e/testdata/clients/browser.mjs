// What the scripts of the page share: a browser, pages that note every problem, and axe.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// The screens that the page is looked at on.
export const screens = { phone: { width: 360, height: 740, isMobile: true, hasTouch: true }, wide: { width: 1440, height: 900 } };

// launch starts Chromium, which reaches this machine only.
export function launch(executablePath) {
  return puppeteer.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-component-update', '--no-first-run', '--force-prefers-reduced-motion'],
  });
}

// watch opens a tab and adds to problems whatever goes wrong in it: errors of scripts, what the content
// security policy refused, requests to other hosts, and answers of 400 and above, unless a mistake is shown (422).
export async function watch(browser, server, problems) {
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  const tell = (text) => problems.push(`${new URL(page.url() === 'about:blank' ? server : page.url()).pathname}: ${text}`);
  page.on('pageerror', (error) => tell(String(error)));
  page.on('console', (message) => { if (['error', 'warn'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) tell(message.text()); });
  page.on('request', (request) => { if (!request.url().startsWith(server + '/') && !request.url().startsWith('data:')) tell('requests ' + request.url()); });
  page.on('response', (response) => { if (response.status() >= 400 && response.status() !== 422) tell(`${response.status()} ${response.url()}`); });
  return page;
}

// open goes to an address, and waits until what the page asks for by itself is there.
export async function open(page, address) {
  await page.goto(address, { waitUntil: 'load' });
  await page.waitForFunction(() => !document.querySelector('.htmx-request'));
}

// check returns what axe finds serious or critical on a page, and what does not fit its width.
export async function check(page) {
  // Beside the page's own policy, which forbids scripts of others.
  const session = await page.createCDPSession();
  await session.send('Runtime.evaluate', { expression: axe });
  const run = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
      .map((v) => v.id + ' (' + v.impact + '): ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' | '))))`,
    awaitPromise: true, returnByValue: true,
  });
  await session.detach();
  if (run.exceptionDetails) throw new Error(JSON.stringify(run.exceptionDetails));
  const found = JSON.parse(run.result.value);
  const over = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    return document.documentElement.scrollWidth > width ? `${document.documentElement.scrollWidth} pixels on a screen of ${width}` : '';
  });
  if (over) found.push(over);
  return found;
}

// small returns the width and height in pixels of what can be clicked and is too small (WCAG 2.2, 2.5.8),
// links in texts excepted.
export function small(page) {
  return page.evaluate(() => [...document.querySelectorAll('button, input:not([type=hidden]), select, summary, nav a, [role=treeitem]')]
    .filter((e) => e.checkVisibility() && !e.closest('.visually-hidden') && e.getClientRects().length)
    .map((e) => ({ r: e.getBoundingClientRect(), e }))
    .filter(({ r }) => r.width > 0 && (r.height < 23.5 || r.width < 23.5))
    .map(({ r, e }) => `${e.outerHTML.slice(0, 120)}: ${Math.round(r.width)} × ${Math.round(r.height)}`));
}
