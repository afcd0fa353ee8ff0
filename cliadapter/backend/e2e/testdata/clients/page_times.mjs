// Measures the page as a browser sees it: node page_times.mjs BROWSER SERVER SYSTEM ROUNDS WORD... Prints
// milliseconds (median and worst) and bytes as JSON.
//   first: from the start of the navigation until the first contentful paint, without a cache
//   bytes: what the first view transfers
//   find:  from a key until its results are painted
//   node:  from the key that opens a node of the tree until its children are painted
//   concept: from the start of the navigation until the concept is painted
import { launch, screens, watch } from './browser.mjs';

const [browserPath, server, system, rounds, ...words] = process.argv.slice(2);
const browser = await launch(browserPath), problems = [], times = { first: [], find: [], node: [], concept: [] };
const page = await watch(browser, server, problems);
await page.setViewport(screens.wide);
const paint = () => page.evaluate(() => new Promise((done) => {
  const seen = () => performance.getEntriesByName('first-contentful-paint')[0];
  if (seen()) done(seen().startTime); else new PerformanceObserver(() => seen() && done(seen().startTime)).observe({ type: 'paint', buffered: true });
}));

let bytes = 0;
await page.setCacheEnabled(false);
for (let n = 0; n < Number(rounds); n++) {
  await page.goto(`${server}/ui/?system=${encodeURIComponent(system)}`, { waitUntil: 'load' });
  times.first.push(await paint());
  bytes = await page.evaluate(() => [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].reduce((sum, e) => sum + e.transferSize, 0));
}
await page.setCacheEnabled(true);

// painted resolves, in the page, to the time from the last key until a condition holds and is painted.
await page.evaluateOnNewDocument(() => {
  let pressed = 0;
  document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
  window.painted = (holds) => new Promise((done) => {
    const look = () => (holds() ? requestAnimationFrame(() => done(performance.now() - pressed)) : requestAnimationFrame(look));
    look();
  });
});
await page.goto(`${server}/ui/?system=${encodeURIComponent(system)}`, { waitUntil: 'load' });
for (let n = 0; n < Number(rounds); n++) {
  for (const word of words) {
    await page.focus('#q');
    await page.evaluate(() => { document.getElementById('q').select(); });
    for (let i = 0; i < word.length; i++) {
      const typed = word.slice(0, i + 1);
      const done = page.evaluate((want) => window.painted(() => new URL(location.href).searchParams.get('q') === want), typed);
      await page.keyboard.press(word[i] === ' ' ? 'Space' : word[i]);
      times.find.push(await done);
    }
  }
}

await page.goto(`${server}/ui/tree?system=${encodeURIComponent(system)}`, { waitUntil: 'load' });
await page.evaluate(() => document.querySelector('[role=treeitem][tabindex="0"]').focus());
const codes = [];
for (let n = 0; n < Number(rounds) * 10; n++) {
  const closed = await page.evaluate(() => document.activeElement.getAttribute('aria-expanded') === 'false');
  if (closed) {
    const done = page.evaluate(() => { const item = document.activeElement; return window.painted(() => document.getElementById(item.getAttribute('aria-owns'))?.querySelector('[role=treeitem]')); });
    await page.keyboard.press('ArrowRight');
    times.node.push(await done);
  }
  codes.push(await page.evaluate(() => document.activeElement.dataset.code));
  await page.keyboard.press('ArrowDown');
}
for (const code of codes.filter(Boolean).slice(0, Number(rounds) * 4)) {
  await page.goto(`${server}/ui/concept?system=${encodeURIComponent(system)}&code=${encodeURIComponent(code)}`, { waitUntil: 'load' });
  times.concept.push(await paint());
}
await browser.close();
const facts = Object.fromEntries(Object.entries(times).map(([name, list]) => {
  list.sort((a, b) => a - b);
  return [name, { n: list.length, median: Math.round(list[list.length >> 1]), p95: Math.round(list[Math.floor(list.length * 0.95)]), worst: Math.round(list.at(-1)) }];
}));
console.log(JSON.stringify({ problems, bytes, ...facts }));
