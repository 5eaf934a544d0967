import type { RiskAssessor } from '../../../src/ports/risk-assessor.ts';
import { judgeRisk } from '../../../src/sandbox/feeds/language-model/risk-model.ts';

/** The reader behind the sandbox's language model, asked without a network. */
export const modelAssessor: RiskAssessor = {
  async assess({ question, description }) {
    const { verdict, reason } = judgeRisk(`${question}\n${description}`);
    return { kind: verdict === 'allow' ? 'allowed' : 'blocked', reason };
  },
};
