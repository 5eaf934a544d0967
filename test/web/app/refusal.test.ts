import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { noAnswer, Problem } from '../../../src/web/api/problem.ts';
import { Refusal } from '../../../src/web/app/refusal.tsx';
import { Field } from '../../../src/web/ui/form.tsx';

function shown(problem: Problem): string {
  return renderToStaticMarkup(createElement(Refusal, { problem, what: 'swap' }));
}

describe('a refused press on its page', () => {
  it('shows the words of a 503, and that nothing was done', () => {
    const html = shown(
      new Problem({
        status: 503,
        code: 'price_late',
        title: 'Late.',
        message: 'our price is late',
      }),
    );
    expect(html).toContain('Our price is late');
    expect(html).toContain('Nothing was done by this press.');
    expect(html).not.toContain('No answer came');
  });

  it('begins its sentences with a capital letter, at the fields as well', () => {
    const message = 'wrong code, 4 attempts left';
    const problem = new Problem({ status: 422, code: 'code_invalid', title: 'refused', message });
    expect(shown(problem)).toMatch(/Refused.*Wrong code/);
    const field = createElement(Field, { label: 'Code', fault: message });
    expect(renderToStaticMarkup(field)).toContain('Wrong code');
  });

  it('says once that no answer came', () => {
    expect(shown(noAnswer(new Error('cut'))).match(/answer/g)).toHaveLength(1);
  });
});
