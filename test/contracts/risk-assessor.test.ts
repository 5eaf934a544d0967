import { createRiskAssessor } from '../../src/adapters/risk-assessor/risk-assessor.ts';
import { linkedAssessor } from '../../src/adapters/feed-link/linked-assessor.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createFaultBoard } from '../../src/sandbox/faults.ts';
import { startLanguageModel } from '../../src/sandbox/feeds/language-model/language-model.ts';
import { modelAssessor } from '../support/fakes/model-assessor.ts';
import { linkedFeed } from '../support/fixtures/linked-feed.ts';
import { describeRiskAssessor } from './risk-assessor.ts';

describeRiskAssessor("the sandbox's reader, asked directly", async () => ({
  assessor: modelAssessor,
  close: async () => undefined,
}));

describeRiskAssessor("the wire adapter before the sandbox's language model", async () => {
  const server = await startLanguageModel({
    clock: createWallClock(),
    faults: createFaultBoard(createSeededRandom('model')),
    key: 'k',
  });
  const assessor = createRiskAssessor({ baseUrl: `${server.url}/v1`, key: 'k', model: 'reader' });
  return {
    assessor,
    async close() {
      await assessor.close();
      await server.close();
    },
  };
});

describeRiskAssessor("the sandbox's reader, over a link", async () => {
  const { link, close } = await linkedFeed(createWallClock(), { assessor: modelAssessor });
  return { assessor: linkedAssessor(link), close };
});
