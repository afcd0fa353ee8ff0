// Signs in to the page in a browser at an authorization server, where it selects the first patient:
// node page_signin.mjs BROWSER SERVER. Prints what the browser saw as JSON.
import { launch } from './browser.mjs';

const [browserPath, server] = process.argv.slice(2);
const browser = await launch(browserPath);
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => { if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text()); });
  const out = { problems };

  const asked = await page.goto(`${server}/ui/concept?system=http%3A%2F%2Fhl7.org%2Ffhir%2Fadministrative-gender&code=female`);
  out.first = asked.status() + ' ' + new URL(page.url()).pathname;
  await Promise.all([page.waitForNavigation(), page.click('a.button[href*="oauth"]')]);
  await page.waitForSelector('button[name=patient]');
  await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.click('button[name=patient]')]);
  await page.waitForFunction((origin) => location.origin === origin, {}, server);
  out.back = new URL(page.url()).pathname + new URL(page.url()).search;
  out.heading = await page.$eval('h1', (e) => e.textContent.trim());
  out.script = await page.evaluate(() => document.cookie);
  out.cookies = (await browser.cookies()).filter((c) => c.name.startsWith('roget-session')).map((c) => `${c.httpOnly} ${c.sameSite}`);

  await new Promise((done) => setTimeout(done, 2500)); // until the token has expired: the page gets a new one
  const again = await page.reload();
  out.later = again.status() + ' ' + (await page.$eval('h1', (e) => e.textContent.trim()));

  const left = page.$('form[action="logout"] button');
  await Promise.all([page.waitForNavigation(), (await left).evaluate((button) => button.form.requestSubmit(button))]);
  const out2 = await page.goto(`${server}/ui/concept?system=http%3A%2F%2Fhl7.org%2Ffhir%2Fadministrative-gender&code=female`);
  out.signedOut = out2.status() + ' ' + new URL(page.url()).pathname;
  console.log(JSON.stringify(out));
} finally {
  await browser.close();
}
