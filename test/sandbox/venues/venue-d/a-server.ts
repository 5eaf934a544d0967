import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import { createFaultBoard } from '../../../../src/sandbox/faults.ts';
import { startPortfolioServer } from '../../../../src/sandbox/venues/venue-d/server.ts';

/** Answers as they come, read field by field. */
type Wire = any; // oxlint-disable-line typescript/no-explicit-any

/** A wallet whose portfolio is asked for. */
export const WALLET = '0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266';

/** The venue's server on a virtual clock. */
export async function startViewedVenue() {
  const clock = createVirtualClock(1_780_876_800_000);
  const faults = createFaultBoard(createSeededRandom(7));
  const server = await startPortfolioServer({ clock, faults });
  return {
    ...server,
    clock,
    faults,
    async ask(query = '', headers: Readonly<Record<string, string>> = {}, wallet = WALLET) {
      const answer = await fetch(`${server.url}/users/${wallet}/portfolio${query}`, { headers });
      return {
        status: answer.status,
        headers: answer.headers,
        body: (await answer.json()) as Wire,
      };
    },
  };
}
