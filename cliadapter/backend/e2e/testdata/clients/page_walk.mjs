// Looks at the page in a browser: node page_walk.mjs BROWSER SERVER PLAN. PLAN is JSON: the addresses of
// pages by name, a folder for screenshots, and what to look for. Prints what was found as JSON.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { check, launch, open, screens, small, watch } from './browser.mjs';

const [browserPath, server, text] = process.argv.slice(2);
const plan = JSON.parse(text);
const at = (path) => `${server}/ui/${path}`;
const browser = await launch(browserPath);
const problems = [], found = [], steps = {};
await mkdir(plan.folder, { recursive: true });

// Every page on every screen in both colours, from right to left once.
const page = await watch(browser, server, problems);
for (const [screen, viewport] of Object.entries(screens)) {
  await page.setViewport(viewport);
  for (const colours of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
    for (const [name, path] of Object.entries(plan.pages)) {
      await open(page, at(path));
      for (const problem of await check(page)) found.push(`${name}, ${screen}, ${colours}: ${problem}`);
      if (screen === 'phone' && colours === 'light') for (const problem of await small(page)) found.push(`${name}: small: ${problem}`);
      await page.screenshot({ path: join(plan.folder, `${name}-${screen}-${colours}.png`) });
    }
  }
}
await page.setCookie({ name: 'roget-direction', value: 'rtl', url: server + '/ui/' });
for (const [name, path] of Object.entries(plan.pages)) {
  await open(page, at(path));
  for (const problem of await check(page)) found.push(`${name}, right to left: ${problem}`);
  await page.screenshot({ path: join(plan.folder, `${name}-rtl.png`) });
}
await page.deleteCookie({ name: 'roget-direction', url: server + '/ui/' });
await page.close();

// The keyboard alone, from the first key.
const keys = await watch(browser, server, problems);
await keys.setViewport(screens.wide);
await keys.setCacheEnabled(false);
const focused = () => keys.evaluate(() => document.activeElement.dataset.code ?? document.activeElement.textContent.trim().replace(/\s+/g, ' ').slice(0, 80));
await open(keys, at(''));
steps.firstBytes = await keys.evaluate(() => [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].reduce((sum, e) => sum + e.transferSize, 0));
await keys.keyboard.type(plan.words, { delay: 20 });
await keys.waitForSelector('#results [data-hit]');
await keys.waitForFunction((words) => document.querySelector('#results mark') && new URL(location.href).searchParams.get('q') === words, {}, plan.words);
await keys.keyboard.press('ArrowDown');
steps.hit = await focused();
await Promise.all([keys.waitForNavigation(), keys.keyboard.press('Enter')]);
steps.concept = await keys.$eval('h1', (e) => e.textContent.trim());

await open(keys, at(plan.tree));
for (let n = 0; n < 60 && !(await keys.evaluate(() => document.activeElement.matches('[role=treeitem]'))); n++) await keys.keyboard.press('Tab');
steps.treeStops = await keys.$$eval('[role=treeitem][tabindex="0"]', (list) => list.length);
steps.first = await focused();
if (await keys.evaluate(() => document.activeElement.getAttribute('aria-expanded') === 'true')) { // a root by itself is open
  await keys.keyboard.press('ArrowLeft');
  await keys.waitForFunction(() => document.activeElement.getAttribute('aria-expanded') === 'false');
}
await keys.keyboard.press('ArrowRight');
await keys.waitForFunction(() => document.activeElement.getAttribute('aria-expanded') === 'true');
await keys.waitForFunction(() => document.getElementById(document.activeElement.getAttribute('aria-owns'))?.querySelector('[role=treeitem]'));
await keys.keyboard.press('ArrowRight');
steps.child = await focused();
steps.level = await keys.evaluate(() => document.activeElement.getAttribute('aria-level'));
await keys.keyboard.press('ArrowLeft');
await keys.keyboard.press('ArrowLeft');
steps.closed = await keys.evaluate(() => document.activeElement.getAttribute('aria-expanded'));

// A code by its words, and the branch of a picture, without a mouse.
if (plan.form) { // where resources are stored
  await open(keys, at(plan.form));
  await keys.focus('[name="p.code"]');
  await keys.keyboard.type(plan.words, { delay: 20 });
  await keys.waitForSelector('#picks-code:not([hidden]) [role=option]');
  await keys.keyboard.press('ArrowDown');
  steps.offered = await keys.evaluate(() => document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent.trim().replace(/\s+/g, ' '));
  await keys.keyboard.press('Enter');
  steps.picked = await keys.$eval('[name="p.code"]', (e) => e.value);
  await Promise.all([keys.waitForNavigation(), keys.keyboard.press('Enter')]);
  steps.searched = new URL(keys.url()).search;
  await open(keys, at(plan.counts));
  for (let n = 0; n < 60 && !(await keys.evaluate(() => document.activeElement.closest('svg a'))); n++) await keys.keyboard.press('Tab');
  steps.box = await keys.evaluate(() => document.activeElement.querySelector('title').textContent.replace(/: [^:]*$/, ''));
  await Promise.all([keys.waitForNavigation(), keys.keyboard.press('Enter')]);
  steps.branch = await keys.$eval('.zoomed strong', (e) => e.textContent);
}

// The filter of a value set, and why a code is not in it.
const codes = (tab) => tab.$$eval('#expansion tbody code, #expansion li code', (list) => list.map((e) => e.textContent.trim()));
const answer = (tab) => tab.$eval('#why', (e) => e.textContent.trim().replace(/\s+/g, ' '));
await open(keys, at(plan.valueSet));
for (let n = 0; n < 60 && !(await keys.evaluate(() => document.activeElement.id === 'filter')); n++) await keys.keyboard.press('Tab');
await keys.keyboard.type(plan.filter, { delay: 20 });
await keys.waitForFunction((want) => new URL(location.href).searchParams.get('filter') === want && !document.querySelector('.htmx-request'), {}, plan.filter);
steps.filtered = await codes(keys);
for (let n = 0; n < 400 && !(await keys.evaluate(() => document.activeElement.id === 'why-code')); n++) await keys.keyboard.press('Tab');
await keys.keyboard.type(plan.excluded);
await keys.keyboard.press('Enter');
await keys.waitForFunction((code) => document.getElementById('why').textContent.includes(code) && !document.querySelector('.htmx-request'), {}, plan.excluded);
steps.why = await answer(keys);
await keys.close();

// Without scripts: forms and links only.
const plain = await watch(browser, server, problems);
await plain.setJavaScriptEnabled(false);
await plain.goto(at(''));
await plain.type('#q', plan.words);
await Promise.all([plain.waitForNavigation(), plain.keyboard.press('Enter')]);
steps.plainHits = await plain.$$eval('#results [data-hit]', (list) => list.length) > 0;
await Promise.all([plain.waitForNavigation(), plain.click('#results [data-hit]')]);
steps.plainConcept = await plain.$eval('h1', (e) => e.textContent.trim());
await plain.goto(at(plan.tree));
const before = await plain.$$eval('[role=treeitem]', (list) => list.length);
await Promise.all([plain.waitForNavigation(), plain.click('[role=treeitem][aria-expanded=false]')]);
steps.plainTree = await plain.$$eval('[role=treeitem]', (list) => list.length) > before;
if (plan.form) {
  await plain.goto(at(plan.form));
  await plain.type('[name="p.code"]', plan.words);
  await Promise.all([plain.waitForNavigation(), plain.click('#fields button')]);
  steps.plainMeant = await plain.$eval('.meant a', (e) => e.textContent.trim());
  await Promise.all([plain.waitForNavigation(), plain.click('.meant a')]);
  steps.plainPicked = await plain.$eval('[name="p.code"]', (e) => e.value);
}
await plain.goto(at(plan.valueSet));
await plain.type('#filter', plan.filter);
await Promise.all([plain.waitForNavigation(), plain.keyboard.press('Enter')]);
steps.plainFiltered = await codes(plain);
await plain.type('#why-code', plan.excluded);
await Promise.all([plain.waitForNavigation(), plain.keyboard.press('Enter')]);
steps.plainWhy = await answer(plain);
await plain.close();

// Displays that want to be more than displays: nothing they name happens.
const hostile = await watch(browser, server, problems);
const dialogs = [];
hostile.on('dialog', (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });
for (const [name, path] of Object.entries(plan.hostile)) {
  await open(hostile, at(path));
  const ran = await hostile.evaluate(() => [window.pwned ?? null, document.querySelectorAll('main script, main img, main iframe, main object, main style, main [onload], main [onerror], main [style]').length]);
  if (ran[0] !== null || ran[1] !== 0) found.push(`${name}: a display has done something: ${JSON.stringify(ran)}`);
  for (const problem of await check(hostile)) found.push(`${name}: ${problem}`);
  await hostile.screenshot({ path: join(plan.folder, `${name}.png`) });
}
if (dialogs.length) found.push(`dialogs: ${dialogs}`);
await hostile.close();

await browser.close();
console.log(JSON.stringify({ problems, found, steps }));
