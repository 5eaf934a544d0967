import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../support/sampled.ts';
import { NO_BROWSER } from './support/browser.ts';
import { STEP_AT_MOST_MS, withJourney } from './support/journey.ts';
import { buyForFive, openMarket, untilFunded } from './support/market-page.ts';
import { untilLoaded, violationsOf } from './support/page-checks.ts';

/** Hears what comes over the sockets that a page opens from now on, by the messages' names. */
function messagesOf(page: Page): () => readonly string[] {
  const names: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const message: unknown = JSON.parse(String(payload));
      names.push(String(Object(message).op));
    }),
  );
  return () => names;
}

describe.skipIf(NO_BROWSER !== null || !IS_WHOLE)('where something fails', () => {
  const journey = withJourney();

  it('an order whose answer was lost is found by its key, or asked for again under it, and stays one', async () => {
    const { page } = await journey().newcomer();
    await openMarket(page, 'venue_a');
    await untilFunded(page);
    const keys: string[] = [];
    await page.route('**/api/venue_a/order/', async (route) => {
      const request = route.request();
      if (request.method() !== 'POST') return route.continue();
      keys.push(request.headers()['idempotency-key'] ?? '');
      if (keys.length === 1) return route.abort();
      const answer = await route.fetch();
      return keys.length === 3 ? route.abort() : route.fulfill({ response: answer });
    });
    await page.getByRole('button', { name: /^Buy .* for \$5/ }).click();
    await page.getByText('No answer came. Press again to ask').waitFor();
    await page.getByRole('button', { name: 'Ask again: it stays the same order' }).click();
    await page.getByText(/^(Filled( in part)?|Cancelled)\./).waitFor();
    expect(new Set(keys).size).toBe(1);
    // one that did arrive is found in the list of orders, without another press
    await page.getByLabel('Amount').fill('3');
    await page.getByRole('button', { name: /^Buy .* for \$3/ }).click();
    await page.getByText(/^(Filled( in part)?|Cancelled)\./).waitFor();
    await page.getByRole('button', { name: /^Ask again/ }).waitFor({ state: 'detached' });
    expect([keys.length, new Set(keys).size]).toEqual([3, 2]);
    await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('link', { name: 'Orders and fills' }).click();
    await page.getByRole('table', { name: 'Orders' }).waitFor();
    expect(await page.getByRole('table', { name: 'Orders' }).getByRole('row').count()).toBe(3);
  });

  it('an order in the middle of which the page is loaded again goes on in its ticket', async () => {
    const { page } = await journey().newcomer();
    await openMarket(page, 'venue_a');
    await untilFunded(page);
    const placed = new Promise<void>((resolve) => {
      void page.route('**/api/venue_a/order/', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        // the page never hears of it
        resolve();
      });
    });
    await page.getByRole('button', { name: /^Buy .* for \$5/ }).click();
    await placed;
    await page.reload();
    await page.getByText('Your last order here (buy').waitFor();
    await page.getByText(/^(Filled( in part)?|Cancelled)\./).waitFor();
    const kept = () => page.evaluate<string>('Object.keys(sessionStorage).join()');
    await expect.poll(kept, { timeout: STEP_AT_MOST_MS }).not.toContain('pending');
  });

  it('an order beyond what there is says so on its button, before it is sent', async () => {
    const { page, complaints } = await journey().newcomer();
    await openMarket(page, 'venue_a');
    await page.getByLabel('Amount').fill('4999');
    const button = page.getByRole('button', { name: /^Buy .* for \$4,999/ });
    await expect.poll(() => button.isDisabled(), { timeout: STEP_AT_MOST_MS }).toBe(true);
    // a book that is not trusted for a moment refuses its estimate, which the browser writes down
    expect(complaints.filter((text) => !text.includes('409 (Conflict)'))).toEqual([]);
  });

  it('signing out in one tab signs the others out', async () => {
    const { page, context } = await journey().newcomer();
    const other = await context.newPage();
    await other.goto(journey().url);
    await other.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Phone number').waitFor();
    await other.getByLabel('Phone number').waitFor();
    await other.reload();
    await other.getByLabel('Phone number').waitFor();
  });

  it('a page whose styles never come has words on it, and goes on from them', async () => {
    const { page } = await journey().stranger();
    let isAway = true;
    await page.route('**/assets/*.css', (route) => (isAway ? undefined : route.continue()));
    await page.goto(journey().url, { waitUntil: 'commit' });
    const painted = () =>
      page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length);
    await expect.poll(painted, { timeout: STEP_AT_MOST_MS }).toBe(1);
    await page.getByText('Loading. If this stays').waitFor();
    isAway = false;
    await page.getByRole('link', { name: 'load the page again' }).click();
    await page.getByLabel('Phone number').waitFor();
  });

  it('a page whose app does not come says so, and goes on once it is there', async () => {
    const { page } = await journey().stranger();
    await page.route('**/assets/main-*.js', (route) => route.abort());
    await page.goto(journey().url);
    await page.getByText('The app did not load').waitFor();
    await page.unroute('**/assets/main-*.js');
    await page.getByRole('link', { name: 'Load the page again' }).click();
    await page.getByLabel('Phone number').waitFor();
  });

  it('a start that gets no answer says so, as a page does that was not opened before; both go on by themselves', async () => {
    const { page, context } = await journey().newcomer();
    await page.route('**/api/auth/refresh', () => undefined);
    await page.goto(journey().url);
    await page.getByText('Looking for the service').waitFor();
    await page.getByText('The service does not answer').waitFor();
    await page.unroute('**/api/auth/refresh');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await context.setOffline(true);
    const menu = page.getByRole('navigation');
    await menu.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('This page did not come').waitFor();
    await page.getByRole('button', { name: 'Stop all' }).waitFor();
    await menu.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await menu.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('This page did not come').waitFor();
    await context.setOffline(false);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  });

  it('an address without a page says so in the app, signed in or not', async () => {
    const { page } = await journey().stranger();
    const answer = await page.goto(`${journey().url}/marketz/7`);
    expect(answer?.status()).toBe(404);
    await page.getByText('There is no page at this address').waitFor();
    await page.getByRole('link', { name: 'Go home' }).click();
    await page.getByLabel('Phone number').waitFor();
    const { page: known } = await journey().newcomer();
    await known.goto(`${journey().url}/marketz/7`);
    await known.getByRole('heading', { name: 'There is no page here' }).waitFor();
    await known.getByRole('button', { name: 'Stop all' }).waitFor();
  });

  it('a push is shown once, however often it comes', async () => {
    const { page, context } = await journey().newcomer();
    await context.grantPermissions(['notifications'], { origin: journey().url });
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    const debug = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      debug.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [first] = registrations;
        if (first !== undefined) resolve(first.registrationId);
      });
    });
    await debug.send('ServiceWorker.enable');
    const registrationId = await registered;
    const data = JSON.stringify({
      id: 'ntf_1',
      tag: 'ntf_1',
      kind: 'trade',
      title: 'Bought 7 Yes',
      body: 'At 65¢',
      atMs: Date.now(),
    });
    for (let times = 0; times < 2; times += 1)
      await debug.send('ServiceWorker.deliverPushMessage', {
        origin: journey().url,
        registrationId,
        data,
      });
    await expect
      .poll(
        () =>
          page.evaluate(
            'navigator.serviceWorker.ready.then((it) => it.getNotifications()).then((all) => all.map(({ title }) => title))',
          ),
        { timeout: STEP_AT_MOST_MS },
      )
      .toEqual(['Bought 7 Yes']);
  });

  it('a click on a push leads to the trade it tells of', async () => {
    const { page, complaints } = await journey().newcomer();
    await openMarket(page, 'venue_a');
    await buyForFive(page);
    await page.getByText(/shares at .* settled\./).waitFor();
    await page.goto(`${journey().url}/activity/notifications`);
    const bought = page.getByRole('listitem').filter({ hasText: 'You bought shares' });
    await bought.getByRole('link').waitFor();
    const listed = page.waitForResponse(/\/api\/user\/notifications/);
    await page.reload();
    const { data } = (await (await listed).json()) as {
      readonly data: readonly { readonly id: string; readonly kind: string }[];
    };
    const id = data.find(({ kind }) => kind === 'trade')?.id ?? expect.unreachable();
    // where the service worker leads a click (test/web/sw.test.ts)
    await page.goto(`${journey().url}/activity/notifications?open=${id}`);
    await page.getByRole('table', { name: 'Fills' }).getByText('by hand').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/activity/trades');
    expect(complaints).toEqual([]);
  });

  it('all is reached by keys alone', async () => {
    const { page, complaints } = await journey().newcomer();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'Markets', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('withdraw');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Withdraw', level: 1 }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('Next row, row before').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await untilLoaded(page);
    const markets = page.getByRole('row').getByRole('link');
    await markets.nth(2).waitFor();
    const focused = async (): Promise<number> => {
      const texts = await markets.allTextContents();
      return texts.indexOf(await page.evaluate<string>('document.activeElement.textContent'));
    };
    const steps: number[] = [];
    for (const key of ['j', 'j', 'k', 'j']) {
      await page.keyboard.press(key);
      steps.push(await focused());
    }
    expect(steps).toEqual([0, 1, 0, 1]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Order book' }).waitFor();
    await page.getByRole('button', { name: 'Stop all' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // the button that changes nothing has the focus
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Keep trading');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('a page says that the service is gone, and is right again by itself once it is back', async () => {
    const { page, complaints, forgive } = await journey().newcomer();
    await openMarket(page, 'venue_a');
    await buyForFive(page);
    await page.getByText(/shares at .* settled\./).waitFor();
    const held = page.getByRole('table', { name: 'Your positions in this market' });
    const before = await held.getByRole('row').nth(1).getByRole('cell').nth(1).textContent();
    // what a reload would forget
    await page.evaluate('window.isTheSamePage = true');
    const heard = messagesOf(page);

    // what has filled empties the field, and its button then asks for an amount before all else
    await page.getByLabel('Amount').fill('5');
    const banner = page.getByRole('status').filter({ hasText: 'Connection lost' });
    const gone = journey().kill();
    await banner.waitFor();
    await page.getByText('The connection is lost, so the price is not known.').waitFor();
    await gone;
    await journey().restart();
    const answersAtMs = performance.now();
    await banner.waitFor({ state: 'detached' });
    await page.getByText('Live', { exact: true }).waitFor();
    console.log(
      `the page is right ${((performance.now() - answersAtMs) / 1_000).toFixed(2)} s after the service answers again (budget: 2 s)`,
    );
    expect(await page.evaluate('window.isTheSamePage')).toBe(true);
    // its own topics went on where they were: nothing was too old, so no list came anew
    await expect.poll(() => heard(), { timeout: STEP_AT_MOST_MS }).toContain('caught_up');
    expect(heard()).not.toContain('too_old');
    expect(await held.getByRole('row').nth(1).getByRole('cell').nth(1).textContent()).toBe(before);
    // calls that no answer came to stand in the console: the browser writes them there by itself
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual(
      complaints.filter((text) => text.includes('WebSocket connection')),
    );
    forgive();
  });
});
