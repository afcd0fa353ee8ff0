// Launches an app in a browser, and selects the first patient on the page of the authorization server:
// node smart_launch.mjs BROWSER LAUNCH-PAGE CLIENT SERVER SCOPES. Prints window.result of the app as JSON.
import puppeteer from 'puppeteer-core';

const [browserPath, page0, client, server, scopes] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: browserPath,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-component-update', '--no-first-run'],
});
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(String(error)));
  await page.goto(`${page0}?${new URLSearchParams({ client, server, scopes })}`);
  const button = await Promise.race([
    page.waitForSelector('button[name=patient]', { timeout: 60_000 }),
    page.waitForFunction(() => window.result, { timeout: 60_000 }).then(() => null),
  ]);
  if (button) await button.click();
  const handle = await page.waitForFunction(() => window.result, { timeout: 60_000 });
  console.log(JSON.stringify(await handle.jsonValue()));
} finally {
  await browser.close();
}
