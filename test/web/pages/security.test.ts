import { QueryClientProvider } from '@tanstack/react-query';
import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, describe, expect, it } from 'vitest';
import { queryClient } from '../../../src/web/api/query.ts';
import { ExportKey } from '../../../src/web/pages/settings/export-key.tsx';
import { Removal } from '../../../src/web/pages/settings/removal.tsx';

function shown(card: FunctionComponent, phone: string | null): string {
  queryClient.setQueryData(['GET /api/user/profile', {}], { phone, wallets: { safe: null } });
  return renderToStaticMarkup(
    createElement(QueryClientProvider, { client: queryClient }, createElement(card)),
  );
}

describe.each([
  ['the export of a key', ExportKey, 'Send me a code'],
  ['the removal of the account', Removal, 'Remove this account</button>'],
] as const)('%s', (_name, card, button) => {
  afterEach(() => queryClient.clear());

  it('asks for a phone first in an account without one', () => {
    const html = shown(card, null);
    expect(html).toContain('There is no phone in your account');
    expect(html).toContain('Add a phone');
    expect(html).not.toContain(button);
  });

  it('sends a code where there is a phone', () => {
    const html = shown(card, '+1••••••2671');
    expect(html).toContain(button.replace('</button>', ''));
    expect(html).not.toContain('Add a phone');
  });
});

it('the removal says of no venue what it buys, which differs', () => {
  expect(shown(Removal, null)).not.toContain('no venue');
  queryClient.clear();
});
