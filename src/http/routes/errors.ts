import { z } from 'zod';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { preferredType } from '../accept.ts';
import { ERROR_HELP } from '../error-help.ts';
import { ERROR_RESPONSES } from '../errors.ts';
import { escapeHtml, htmlPage } from '../html.ts';
import type { Page } from '../page.ts';
import { publicRoute } from '../route.ts';

const codeField = z
  .string()
  .regex(/^[a-z_]{1,40}$/, 'an error code')
  .meta({ description: 'The `code` of a problem.', examples: ['insufficient_funds'] });

const explanationOut = z
  .object({
    code: z.string(),
    status: z.int().meta({ description: 'HTTP status the problem comes with.' }),
    title: z.string(),
    meaning: z.string().meta({ description: 'What happened, and what did not.' }),
    retry: z.enum(['later', 'after_a_change']).meta({
      description:
        'Whether the same call may succeed: unchanged and later, or only after a change.',
    }),
    remedy: z.string().meta({ description: 'What to do now.' }),
  })
  .meta({ id: 'ErrorExplanation' });

type Explanation = z.input<typeof explanationOut>;

/** Explanations of error codes: where the `type` of every problem leads. */
export const errorRoutes = [
  publicRoute({
    family: 'system',
    method: 'GET',
    path: '/errors/:code',
    budget: 'reads',
    cacheControl: 'public, max-age=3600',
    produces: ['application/json', 'text/html'],
    operationId: 'explainError',
    summary: 'What an error code means, and what to do',
    description:
      'The `type` of every problem leads here. A page where `Accept` prefers text/html, as browsers do; JSON otherwise.',
    params: z.object({ code: codeField }),
    output: explanationOut,
    errors: ['not_found'],
    run: ({ header }, { params }) => {
      const explanation = explain(params.code);
      return preferredType(header('accept'), ['application/json', 'text/html']) === 'text/html'
        ? pageOf(explanation)
        : explanation;
    },
  }),
];

function explain(text: string): Explanation {
  // The keys of the table are exactly the codes: its type says so.
  const code = (Object.keys(ERROR_RESPONSES) as ErrorCode[]).find((known) => known === text);
  if (code === undefined) throw new AppError('not_found', 'there is no such error code');
  const { status, title } = ERROR_RESPONSES[code];
  return { code, status, title, ...ERROR_HELP[code] };
}

function pageOf({ code, status, title, meaning, retry, remedy }: Explanation): Page {
  const again =
    retry === 'later'
      ? 'Yes: the same call may succeed later, with the same Idempotency-Key.'
      : 'Not unchanged: the same call will fail again. An Idempotency-Key that was only refused is free.';
  const rows = [
    ['What it means', meaning],
    ['Try again?', again],
    ['What to do', remedy],
    ['HTTP status', String(status)],
  ].map(([name = '', said = '']) => `<dt>${name}</dt><dd>${escapeHtml(said)}</dd>`);
  return htmlPage(
    code,
    `<h1><code>${code}</code></h1>\n<p>${escapeHtml(title)}</p>\n<dl>${rows.join('\n')}</dl>\n<p><a href="/docs">The whole interface</a></p>`,
  );
}
