import { loopback } from '../ask.ts';
import { numbersOf } from './arguments.ts';
import { megabytes, spread } from './figures.ts';
import { standingMarket } from './markets.ts';
import { openReaders, type ReaderFigures } from './readers.ts';
import { createTrader, type TraderFigures } from './trader.ts';
import { startEnvironment, type Citizen } from './environment.ts';
import { runFloods } from './floods.ts';

// `npm run sim -- load`: the highest rate of reading this machine holds, then three times that,
// while some people trade. Then six floods on 64 connections while a user within budget reads
// (`--seconds 0` for these alone).

const { seconds, people, lines, times } = numbersOf({
  seconds: 15,
  people: 60,
  lines: 256,
  times: 3,
});
const TRADERS = 4;
/**
 * Lines that ask without a pause to find the highest rate: enough to keep the daemon busy, too few
 * to fill a turn of its loop.
 */
const SATURATING_LINES = 16;
/** What the daemon may grow by while it is flooded: bodies, answers and buffers under way. */
const GROWTH_MAXIMUM_BYTES = 256 * 1_048_576;

const say = (line: string): void => console.log(line);
// in the markets' own time: a sandbox that runs faster has orders grow stale in fractions of a
// second
const environment = await startEnvironment({ PREDICTD_SANDBOX_SPEED: '1' });
const resident = { most: 0 };
const watch = setInterval(() => {
  resident.most = Math.max(resident.most, environment.residentBytes());
}, 250);
const faults: string[] = [];
try {
  const citizens: Citizen[] = [];
  for (let number = 0; number < people; number += 1)
    citizens.push(await environment.settle(number));
  const [first] = citizens;
  if (first === undefined) throw new Error('a load needs people');
  if (seconds > 0) await readAndTrade(citizens, first);
  const [, second] = citizens;
  if (second === undefined) throw new Error('floods need two people');
  faults.push(...(await runFloods(environment, [first, second], say)));
} finally {
  clearInterval(watch);
  const code = await environment.leave();
  if (code !== 0)
    faults.push(
      `the daemon ended with ${String(code)}: ${environment.daemon.complained().slice(0, 500)}`,
    );
}
for (const fault of new Set(faults)) say(`FAULT ${fault}`);
say(
  faults.length === 0
    ? 'held: every answer right, every refusal said when to come back, every order taken'
    : `${faults.length} faults`,
);
process.exit(faults.length === 0 ? 0 : 1);

/** The highest rate of reading, and three times that while people trade. */
async function readAndTrade(citizens: readonly Citizen[], first: Citizen): Promise<void> {
  const market = await standingMarket(environment, first);
  const traders = citizens
    .slice(0, TRADERS)
    .map((citizen, index) =>
      createTrader(environment.port, citizen, market.marketId, loopback(100_000 + index)),
    );
  await Promise.all(traders.map((trader) => trader.ready()));
  const readers = await openReaders(
    environment.port,
    citizens.slice(TRADERS),
    market.tokenId,
    lines,
  );
  const trade = async (forSeconds: number): Promise<TraderFigures> =>
    joined(await Promise.all(traders.map((trader) => trader.trade(forSeconds))));
  say(
    `${people} people, ${lines} lines, ${TRADERS} traders; daemon at ${megabytes(environment.residentBytes())}`,
  );

  const alone = await trade(seconds);
  tellTrading('trading alone', alone);
  const held = await readers.saturate(SATURATING_LINES, seconds);
  const rate = held.answered / held.seconds;
  tellReading('reading without a pause', held);
  const before = environment.residentBytes();
  resident.most = before;
  const [flood, meanwhile] = await Promise.all([
    readers.flood(rate * times, seconds),
    trade(seconds),
  ]);
  tellReading(`reading at ${times} times that`, flood);
  tellTrading('trading meanwhile', meanwhile);
  say(
    `memory: ${megabytes(before)} before the flood, ${megabytes(resident.most)} at most, ${megabytes(environment.residentBytes())} after`,
  );

  if (held.answered === 0) faults.push('nothing was answered');
  faults.push(...held.faults, ...flood.faults, ...alone.faults, ...meanwhile.faults);
  if (resident.most - before > GROWTH_MAXIMUM_BYTES)
    faults.push(`the daemon grew by ${megabytes(resident.most - before)}`);
  if (meanwhile.placed * 2 < alone.placed)
    faults.push(`${meanwhile.placed} orders under the flood, ${alone.placed} without`);
  for (const trader of traders) trader.close();
  readers.close();
}

function tellReading(
  what: string,
  {
    seconds: took,
    offered,
    answered,
    refused,
    overBudget,
    unsent,
    answeredMs,
    refusedMs,
  }: ReaderFigures,
): void {
  say(
    `${what}: ${Math.round(offered / took)} offered a second, ${Math.round(answered / took)} answered (${spread(answeredMs)}), ${Math.round(refused / took)} refused (${overBudget} in all over a budget; ${spread(refusedMs)}), ${Math.round(unsent / took)} found no free line`,
  );
}

function tellTrading(what: string, { placed, cancelled, fenced, placeMs }: TraderFigures): void {
  say(
    `${what}: ${placed} orders placed, ${cancelled} taken back, ${fenced} waited for the word on the one before (${spread(placeMs)})`,
  );
}

function joined(all: readonly TraderFigures[]): TraderFigures {
  return {
    placed: all.reduce((sum, { placed }) => sum + placed, 0),
    cancelled: all.reduce((sum, { cancelled }) => sum + cancelled, 0),
    fenced: all.reduce((sum, { fenced }) => sum + fenced, 0),
    placeMs: all.flatMap(({ placeMs }) => placeMs),
    faults: all.flatMap((each) => each.faults),
  };
}
