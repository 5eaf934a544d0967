import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  type Daemon,
  familyOf,
  type Settings,
  startDaemon,
  untilGone,
} from '../../crash/support/daemon.ts';
import { openBrowser } from './browser.ts';

/** How wide a person's screen is, CSS pixels. */
export type Width = 360 | 1440 | 2560;

const HEIGHTS: Readonly<Record<Width, number>> = { 360: 780, 1440: 900, 2560: 1440 };

/** A person with a browser of their own. */
export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What their browser complained about: errors of scripts, of the policy, of the network. */
  readonly complaints: readonly string[];
  /** Forgets complaints that a test has caused on purpose. */
  forgive(): void;
}

/** A daemon with its sandbox as `npm start` starts it, and browsers on it. */
export interface Journey {
  readonly url: string;
  readonly daemon: Daemon;
  /** A person who is not signed in, at the first page. */
  stranger(width?: Width): Promise<Person>;
  /** A person who signed up by phone, took paper agents and is on the home page. */
  newcomer(width?: Width): Promise<Person & { readonly phone: string }>;
  /** Base address of a service of the sandbox, by its name among the addresses that it prints. */
  address(...path: readonly string[]): string;
  /** The `nth` code that was sent to the phone that ends in these digits, the first by itself. */
  codeFor(lastDigits: string, nth?: number): Promise<string>;
  /**
   * Keeps what every open page looks like in the temporary folder, under a name, and prints what
   * browsers complained of.
   */
  keepPictures(name: string): Promise<void>;
  /** Ends the daemon and all it started without a word; resolves once it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  leave(): Promise<void>;
}

/** An upper bound for what has come to a halt: where many share a machine a step takes its time. */
export const STEP_AT_MOST_MS = 120_000;

/**
 * Gives the tests of the `describe` it is called in one journey, which a failing one leaves
 * pictures of.
 */
export function withJourney(settings: Settings = {}): () => Journey {
  let journey: Journey | null = null;
  beforeAll(async () => {
    journey = await startJourney(settings);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await journey?.keepPictures(task.name);
  });
  afterAll(() => journey?.leave());
  return () => journey ?? expect.unreachable('the journey has not begun');
}

/** Starts a daemon on data of its own and a browser. */
async function startJourney(settings: Settings = {}): Promise<Journey> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-journey-'));
  const environment = {
    PREDICTD_DATA: folder,
    PREDICTD_LOG_LEVEL: 'warn',
    PREDICTD_PORT: String(await freePort()),
    ...settings,
  };
  const browser = await openBrowser();
  let daemon = startDaemon(environment);
  const url = await daemon.url();
  await daemon.saw(/demo user \S+ is ready with/);
  let people = 0;
  const codeFor = async (lastDigits: string, nth = 1): Promise<string> => {
    const sent = `code for \\S*${lastDigits}: (\\d{6})[^]*?`;
    return (await daemon.saw(new RegExp(`(?:${sent}){${nth}}`)))[1] ?? '';
  };
  const persons: Person[] = [];
  const stranger = async (width: Width = 1440): Promise<Person> => {
    const person = await open(browser, width);
    persons.push(person);
    await person.page.goto(url);
    return person;
  };
  return {
    url,
    get daemon() {
      return daemon;
    },
    stranger,
    codeFor,
    address: (...path) => addressIn(folder, path),
    async newcomer(width) {
      const person = await stranger(width);
      people += 1;
      return { ...person, phone: await signUp(person.page, people, codeFor) };
    },
    async keepPictures(name) {
      const folder = join(tmpdir(), 'predictd-journeys');
      mkdirSync(folder, { recursive: true });
      const pages = browser.contexts().flatMap((context) => context.pages());
      for (const [index, page] of pages.entries()) {
        const path = join(folder, `${name.replaceAll(/\W+/g, '-').slice(0, 80)}-${index}.png`);
        await page.screenshot({ path, fullPage: true });
        console.error(`what a page looked like: ${path}`);
      }
      for (const { page, complaints } of persons)
        if (complaints.length > 0)
          console.error(`complaints at ${page.url()}: ${complaints.join('; ')}`);
    },
    async kill() {
      const family = familyOf(daemon.pid);
      daemon.signalGroup('SIGKILL');
      await daemon.ended;
      await untilGone(family);
    },
    async restart() {
      daemon = startDaemon(environment);
      await daemon.url();
    },
    async leave() {
      await browser.close();
      daemon.signal('SIGTERM');
      await daemon.ended;
      // the chains write their last state for a moment
      rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
    },
  };
}

function addressIn(folder: string, path: readonly string[]): string {
  const addresses: unknown = JSON.parse(readFileSync(join(folder, 'addresses.json'), 'utf8'));
  return String(path.reduce((within, name) => Object(within)[name], Object(addresses).sandbox));
}

/** Ports of outgoing connections begin at 32768 (ip(7), ip_local_port_range). */
const PORTS = { first: 20_000, last: 32_767 } as const;

/**
 * A port that no outgoing connection is given: a browser that calls a daemon which is away would
 * else, sooner or later, be given that very port and talk to itself.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last + 1);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => void server.close(resolve));
    return port;
  }
}

async function open(browser: Browser, width: Width): Promise<Person> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] },
    // a shell without one names its own by the machine's, which no Intl takes
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_AT_MOST_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A busy service has a page come back in a moment; what never comes is missed by who waits.
    const isLater = message.text().includes('status of 503');
    if (message.type() === 'error' && !isLater)
      complaints.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return {
    page,
    context,
    complaints,
    forgive: () => {
      complaints.length = 0;
    },
  };
}

async function signUp(
  page: Page,
  number: number,
  codeFor: (lastDigits: string) => Promise<string>,
): Promise<string> {
  const lastDigits = String(1_000 + number);
  const phone = `+1202555${lastDigits}`;
  await page.getByLabel('Phone number').fill(phone);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  // where one types without pressing anything first
  await page.locator('input[autocomplete=one-time-code]:focus').fill(await codeFor(lastDigits));
  await page.getByLabel('Username').fill(`walker_${'abcdefghkm'[number % 10]}${lettersOf(number)}`);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  return phone;
}

/** A number in letters that are not similar: names that are similar are refused. */
function lettersOf(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'abcdefghkm'[Number(digit)] ?? 'a');
}
