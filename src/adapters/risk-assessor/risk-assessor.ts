import { ASSESSOR } from '../../../config/limits/farming.ts';
import { FEEDS } from '../../../config/limits/market-data.ts';
import type { Assessment } from '../../domain/farming/assessment.ts';
import { plainText } from '../../domain/plain-text.ts';
import type { RiskAssessor } from '../../ports/risk-assessor.ts';
import { createHttpCalls } from '../wire/http-calls.ts';
import { completionBody } from './prompt.ts';
import { completionSchema, verdictSchema } from './schema.ts';

/** A language model behind an OpenAI-compatible chat completion interface. */
export interface LanguageModelAssessor extends RiskAssessor {
  close(): Promise<void>;
}

/**
 * Makes the assessor: `POST {base}/chat/completions` with a strict JSON schema, temperature 0, one
 * answer within the budget. Whatever is not exactly a verdict leaves a gap: it may block, and
 * nothing else it says is ever used.
 */
export function createRiskAssessor({
  baseUrl,
  key,
  model,
  budgetMs = ASSESSOR.budgetMs,
}: {
  /** With its version and without a trailing slash, such as "https://api.openai.com/v1". */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  /** Real time for one answer; ASSESSOR.budgetMs unless stated. */
  readonly budgetMs?: number;
}): LanguageModelAssessor {
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum: ASSESSOR.connectionsMaximum,
    keepAliveMs: FEEDS.keepAliveMs,
    connectTimeoutMs: budgetMs,
    answerMaximumBytes: ASSESSOR.answerMaximumBytes,
    headers: { authorization: `Bearer ${key}` },
  });
  return {
    close: () => calls.close(),
    async assess(question) {
      const deadline = AbortSignal.timeout(budgetMs);
      const outcome = await calls.send({
        method: 'POST',
        path: '/chat/completions',
        body: completionBody(model, question),
        timeoutMs: budgetMs * 2,
        signal: deadline,
      });
      if (outcome.kind !== 'answered')
        return {
          kind: 'none',
          gap: deadline.aborted
            ? 'late'
            : outcome.kind === 'lost' && outcome.isOversized === true
              ? 'nonsense'
              : 'unreachable',
        };
      return outcome.status === 200
        ? readVerdict(outcome.text)
        : { kind: 'none', gap: 'unreachable' };
    },
  };
}

/** Reads a completion; anything but one clean verdict is `refused` or `nonsense`. */
export function readVerdict(text: string): Assessment {
  const completion = completionSchema.safeParse(parsed(text));
  const [choice] = completion.success ? completion.data.choices : [];
  if (choice === undefined) return { kind: 'none', gap: 'nonsense' };
  const { content, refusal } = choice.message;
  if (
    (refusal !== null && refusal !== undefined && refusal !== '') ||
    choice.finish_reason === 'content_filter'
  )
    return { kind: 'none', gap: 'refused' };
  const verdict =
    choice.finish_reason === 'length' ? null : verdictSchema.safeParse(parsed(content ?? ''));
  if (verdict === null || !verdict.success) return { kind: 'none', gap: 'nonsense' };
  const reason = plainText(verdict.data.reason, ASSESSOR.reasonChars);
  return { kind: verdict.data.verdict === 'allow' ? 'allowed' : 'blocked', reason };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
