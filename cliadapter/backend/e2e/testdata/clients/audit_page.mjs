// Opens the report of an audit in a browser without a network: node audit_page.mjs BROWSER FILE.
// Prints what it found as JSON: rows, errors of scripts, requests, findings of axe in light and dark,
// and what the filter and the printer show.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const [browserPath, file] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await puppeteer.launch({
  executablePath: browserPath,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND', '--proxy-server=127.0.0.1:9', '--disable-component-update', '--no-first-run'],
});
const found = { errors: [], requests: [], axe: {} };
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => found.errors.push(String(error)));
  page.on('console', (message) => { if (['error', 'warn'].includes(message.type())) found.errors.push(message.text()); });
  page.on('request', (request) => found.requests.push(request.url()));
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(pathToFileURL(file).href);
    await page.evaluate(() => document.querySelectorAll('button')[0].click()); // open all, so that axe sees all
    // Beside the page's own policy, which forbids scripts of others.
    const session = await page.createCDPSession();
    await session.send('Runtime.evaluate', { expression: axe });
    const run = await session.send('Runtime.evaluate', { expression: 'axe.run(document, {resultTypes: ["violations", "incomplete"]}).then((r) => JSON.stringify({violations: r.violations.map((v) => ({id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 3).map((n) => n.html)})), passes: r.passes.length}))', awaitPromise: true, returnByValue: true });
    if (run.exceptionDetails) throw new Error(JSON.stringify(run.exceptionDetails));
    found.axe[scheme] = JSON.parse(run.result.value);
    found.axe[scheme].background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  }
  await page.goto(pathToFileURL(file).href);
  Object.assign(found, await page.evaluate(() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const visible = () => all('.group').filter((g) => g.checkVisibility()).length;
    const status = () => document.querySelector('.shown').textContent;
    const result = {
      title: document.title, landmarks: ['header', 'main', 'nav', 'footer'].filter((name) => document.querySelector(name)).length,
      checks: all('section.check').map((s) => s.dataset.check), controls: all('tr.control').map((r) => `${r.dataset.control} ${r.dataset.status}`),
      findings: all('li.finding').length, open: all('details[open]').length, groups: visible(), status: status(),
      scores: all('.score').map((s) => `${s.dataset.score} ${s.querySelector('.number').textContent}`),
    };
    for (const box of all('input[name=severity]')) if (box.value !== 'CRITICAL') box.click();
    result.critical = all('.group').filter((g) => g.checkVisibility()).map((g) => g.dataset.severity);
    result.filtered = status();
    for (const box of all('input[name=severity]')) if (!box.checked) box.click();
    result.again = visible();
    return result;
  }));
  // The keyboard reaches the skip link first, then a filter.
  await page.keyboard.press('Tab');
  found.first = await page.evaluate(() => document.activeElement.className);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  found.printed = await page.evaluate(() => document.querySelectorAll('details:not([open])').length);
  found.pdf = (await page.pdf()).length;
} finally {
  await browser.close();
}
console.log(JSON.stringify(found));
