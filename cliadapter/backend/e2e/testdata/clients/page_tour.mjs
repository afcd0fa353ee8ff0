// Does the tasks of docs/tour.md that are done on the page: node page_tour.mjs BROWSER SERVER FOLDER PLAN.
// PLAN is JSON with the addresses that the tasks begin at. A task has at most five steps, each a sentence
// and what a person does; then it tells what is seen. Prints the tasks as JSON, and leaves a picture of each
// in the folder, which is WebP because that is small.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, watch } from './browser.mjs';

const [browserPath, server, folder, text] = process.argv.slice(2);
const plan = JSON.parse(text);
const browser = await launch(browserPath), problems = [], done = [];
const page = await watch(browser, server, problems);
await page.setViewport({ width: 860, height: 480 });

const settled = async () => {
  await new Promise((next) => setTimeout(next, 150)); // longer than the page waits for the next key
  await page.waitForFunction(() => !document.querySelector('.htmx-request'));
};
const go = async (selector) => { await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.click(selector)]); await settled(); };
const named = (selector, words) => page.evaluateHandle((s, w) => [...document.querySelectorAll(s)].find((e) => e.textContent.replace(/\s+/g, ' ').includes(w)), selector, words);
const goTo = async (selector, words) => {
  const element = (await named(selector, words)).asElement();
  if (!element) throw new Error(`no ${selector} with "${words}" on ${page.url()}`);
  await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), element.evaluate((e) => e.click())]);
  await settled();
};
const read = (selector) => page.$eval(selector, (e) => e.textContent.trim().replace(/\s+/g, ' '));
const type = async (selector, words) => { await page.focus(selector); await page.keyboard.type(words, { delay: 15 }); await settled(); };

const tasks = {
  find: ['Find the ICD-10-CM code for a fracture of the neck of the femur', [
    ['Open `/ui/`. The field already has the keyboard.', () => page.goto(`${server}/ui/`, { waitUntil: 'load' })],
    ['Type `neck femur fracture`.', () => type('#q', 'neck femur fracture')],
    ['At the left, choose *International Classification of Diseases, 10th Revision, Clinical Modification*.', async () => { await (await named('.facets a', 'Clinical Modification')).asElement().click(); await settled(); }],
    ['Press `↓` and then `Enter`: the first result opens.', async () => { await page.focus('#q'); await page.keyboard.press('ArrowDown'); await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.keyboard.press('Enter')]); await settled(); }],
  ], () => read('h1')],
  browse: ['See what else is below fractures of the femur', [
    ['On the page of a concept, such as S72.0, choose *Show in the hierarchy*.', async () => { await page.goto(`${server}/ui/${plan.concept}`, { waitUntil: 'load' }); await goTo('a', 'Show in the hierarchy'); }],
    ['Press `←` to go to the parent, and the arrow keys to walk.', async () => { await page.evaluate(() => document.querySelector('[role=treeitem][aria-current]').focus()); await page.keyboard.press('ArrowLeft'); if (await page.evaluate(() => document.activeElement.dataset.code === 'S72.0')) await page.keyboard.press('ArrowLeft'); await settled(); }],
  ], () => page.evaluate(() => document.activeElement.textContent.trim().replace(/\s+/g, ' '))],
  concept: ['Understand a term: what is Diarrhea, and what is it a kind of?', [
    ['Open `/ui/`, type `diarrhea`, and choose the *Human Phenotype Ontology* at the left.', async () => { await page.goto(`${server}/ui/`, { waitUntil: 'load' }); await type('#q', 'diarrhea'); await (await named('.facets a', 'Human Phenotype')).asElement().click(); await settled(); }],
    ['Choose *Diarrhea*. The page has its names, its definition, and a picture of its ancestors.', () => go('a.hit[href*="HP%3A0002014"]')],
  ], () => read('h1')],
  members: ['List the codes of a value set about typhoid', [
    ['Choose *Value sets*.', async () => { await page.goto(`${server}/ui/`, { waitUntil: 'load' }); await goTo('header nav a', 'Value sets'); }],
    ['Choose *Intestinal infections*.', () => goTo('main a', 'Intestinal infections')],
    ['Type `typhoid` into *Filter by words or a code*.', () => type('#filter', 'typhoid')],
  ], () => read('#expansion .summary')],
  why: ['Find out why A00.0 is not in a value set', [
    ['Open the value set.', () => page.goto(`${server}/ui/${plan.valueSet}`, { waitUntil: 'load' })],
    ['Type `A00.0` below *Why is a code in it, or not?* and press `Enter`.', async () => { await type('#why-code', 'A00.0'); await page.keyboard.press('Enter'); await page.waitForFunction(() => document.getElementById('why').textContent.includes('exclude[0]')); await settled(); }],
  ], () => read('#why .badge')],
  expression: ['Count the concepts below a term, with an expression', [
    ['Choose *ECL*, and *Human Phenotype Ontology* as the code system.', async () => { await page.goto(`${server}/ui/`, { waitUntil: 'load' }); await goTo('header nav a', 'ECL'); await page.select('#ecl-system', 'http://human-phenotype-ontology.org'); await settled(); }],
    ['Type `< code#"HP:0002014"`. The count follows what you type; a mistake is marked where it is.', async () => { await type('#expression', '< code#"HP:0002014"'); await page.keyboard.press('Escape'); await page.waitForFunction(() => /\d/.test(document.querySelector('#result .summary')?.textContent ?? '')); await settled(); }],
  ], () => read('#result .summary')],
  basket: ['Make a value set from codes that you pick', [
    ['Open `/ui/` and type `cholera`.', async () => { await page.goto(`${server}/ui/`, { waitUntil: 'load' }); await type('#q', 'cholera'); }],
    ['Press *+* beside two codes.', async () => { for (const n of [0, 1]) { await page.evaluate((i) => document.querySelectorAll('button.pick')[i].click(), n); await settled(); } }],
    ['Choose *Basket*, and give the value set a title and an id.', async () => { await page.evaluate(() => document.querySelector('#basket-link').click()); await page.waitForSelector('#compose'); await type('#compose [name=title]', 'Cholera'); await type('#compose [name=id]', 'cholera'); await new Promise((next) => setTimeout(next, 400)); await settled(); }],
    ['Copy the JSON, download it, or choose *Store on this server*.', () => go('form[action=store] button')],
  ], () => read('h1')],
  translate: ['Translate a code with a map', [
    ['Choose *Maps* and the map.', async () => { await page.goto(`${server}/ui/`, { waitUntil: 'load' }); await goTo('header nav a', 'Maps'); await goTo('main a', 'ICD-10-CM to phenotypes'); }],
    ['Type `A00.1` below *Translate a code* and press `Enter`.', async () => { await type('form[action=map] [name=code]', 'A00.1'); await page.keyboard.press('Enter'); await page.waitForFunction(() => document.getElementById('translated').textContent.includes('HP:')); await settled(); }],
  ], () => read('#translated')],
  population: ['See what a population suffers from, by chapter and block', [
    ['Choose *Data*, and there *Condition*.', async () => { await page.goto(`${server}/ui/`, { waitUntil: 'load' }); await goTo('header nav a', 'Data'); await goTo('main a', 'Condition'); }],
    ['Choose *Count by concept*. Each block counts what is below it; press one to see its part larger.', async () => { await goTo('main a', plan.byConcept); await page.$eval('main svg', (e) => e.scrollIntoView({ block: 'center' })); }],
  ], () => read('main [role=status]')],
};
for (const [name, [title, steps, seen]] of Object.entries(tasks)) {
  if (steps.length > 5) throw new Error(`${name} has ${steps.length} steps`);
  try {
    for (const [, act] of steps) await act();
    const result = await seen();
    await page.evaluate(() => document.activeElement?.blur?.());
    await page.screenshot({ path: join(folder, `${name}.webp`), type: 'webp', quality: 8 });
    done.push({ name, title, steps: steps.map(([sentence]) => sentence), seen: result });
  } catch (error) {
    await page.screenshot({ path: join(tmpdir(), `tour-${name}.png`) });
    problems.push(`${name}: ${error}`);
  }
}
await browser.close();
console.log(JSON.stringify({ problems, tasks: done }));
