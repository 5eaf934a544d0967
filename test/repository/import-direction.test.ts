import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFiles } from './source-files.ts';

/** The bounds of the service, what all share and a file for each area, and those of the sandbox. */
const SERVICE_LIMITS = ['config/limits.ts', 'config/limits'];
const SANDBOX_LIMITS = ['config/limits/sandbox.ts', 'config/limits/sandbox-chains.ts'];

/** What every model of the sandbox may import beside its own folder. */
const SANDBOX_MODELS = [
  'src/sandbox/calibration',
  'src/sandbox/ticks.ts',
  'src/sandbox/faults.ts',
  'src/sandbox/hashed-chance.ts',
  'src/domain',
  'src/ports',
  ...SANDBOX_LIMITS,
];

/**
 * Folders and what each may import (design.md section 2). A package name means itself; `*` means
 * any package.
 */
const RULES: readonly { readonly folder: string; readonly may: readonly string[] }[] = [
  { folder: 'src/domain', may: ['src/domain'] },
  { folder: 'src/ports', may: ['src/ports', 'src/domain'] },
  { folder: 'streams', may: ['streams', 'src/domain', 'src/ports', ...SERVICE_LIMITS, 'rxjs'] },
  { folder: 'machines', may: ['machines', 'src/domain', 'src/ports', ...SERVICE_LIMITS, 'xstate'] },
  {
    folder: 'src/services',
    may: [
      'src/services',
      'src/domain',
      'src/ports',
      'machines',
      ...SERVICE_LIMITS,
      'xstate',
      'libphonenumber-js/max',
      'libphonenumber-js',
    ],
  },
  // What goes to chains knows nothing of who asks for it: orders, wallets and funding stand above
  // it.
  {
    folder: 'src/services/transactions',
    may: [
      'src/services/transactions',
      'src/services/commit.ts',
      'src/services/new-id.ts',
      'src/services/newest-first.ts',
      'src/services/newest-page.ts',
      'src/services/books/tables.ts',
      'src/domain',
      'src/ports',
      'machines',
      ...SERVICE_LIMITS,
      'xstate',
    ],
  },
  {
    folder: 'src/sandbox/engine',
    may: [
      'src/sandbox/engine',
      'src/sandbox/exchange',
      'src/sandbox/venues/venue-a/chain/chain-addresses.ts',
      ...SANDBOX_MODELS,
      'node:crypto',
    ],
  },
  { folder: 'src/sandbox/exchange', may: ['src/sandbox/exchange', 'src/domain'] },
  { folder: 'src/sandbox/calibration', may: SANDBOX_MODELS },
  {
    folder: 'src/sandbox/feeds/prices',
    may: ['src/sandbox/feeds/prices', ...SANDBOX_MODELS],
  },
  {
    folder: 'src/sandbox',
    may: [
      'src/sandbox',
      'src/domain',
      'src/ports',
      'src/adapters/wire',
      'src/adapters/files',
      'src/adapters/clock',
      'src/adapters/random',
      'src/adapters/recordings',
      ...SERVICE_LIMITS,
      ...SANDBOX_LIMITS,
      '*',
    ],
  },
  {
    folder: 'src/venues',
    may: [
      'src/venues',
      'src/adapters',
      'src/http',
      'src/services',
      'src/domain',
      'src/ports',
      ...SERVICE_LIMITS,
      '*',
    ],
  },
  {
    folder: 'src/adapters',
    may: ['src/adapters', 'src/domain', 'src/ports', ...SERVICE_LIMITS, '*'],
  },
  {
    folder: 'src/http',
    may: [
      'src/http',
      'src/web/routes.ts',
      'src/services',
      'src/domain',
      'src/ports',
      ...SERVICE_LIMITS,
      '*',
    ],
  },
  {
    folder: 'src/mcp',
    may: ['src/mcp', 'src/http', 'src/services', 'src/domain', 'src/ports', ...SERVICE_LIMITS, '*'],
  },
  // It answers for no user: it knows which calls there are, and nothing of services.
  {
    folder: 'src/gateway',
    may: ['src/gateway', 'src/http', 'src/domain', 'src/ports', ...SERVICE_LIMITS, '*'],
  },
  // It serves no user either: it knows the ports of what it reads, and the protocol of its links.
  {
    folder: 'src/feed',
    may: [
      'src/feed',
      'src/adapters/feed-link',
      'src/http/listener/server-bounds.ts',
      'src/http/respond.ts',
      'src/services/shared-questions.ts',
      'src/domain',
      'src/ports',
      ...SERVICE_LIMITS,
      '*',
    ],
  },
  // Pages run in browsers: of the daemon they know the shapes of its calls, as types alone (below).
  {
    folder: 'src/web',
    may: ['src/web', 'src/domain', 'src/http/routes', 'src/venues', '*'],
  },
  { folder: 'src/app', may: ['src', 'streams', 'machines', 'config', '*'] },
  { folder: 'src/tools', may: ['src', 'streams', 'machines', 'config', '*'] },
  { folder: 'src/main.ts', may: ['src/app', 'src/domain', 'config', '*'] },
  { folder: 'src/index.ts', may: ['src/app', 'src/domain', 'config'] },
  { folder: 'config', may: ['config', 'src/domain', '*'] },
];

/**
 * What `src/services` is made of, lowest first: each folder, and each file beside them, imports
 * from rows above its own in this list, never from its own row or below.
 */
const SERVICE_LAYERS: readonly (readonly string[])[] = [
  // How facts are stored, and what any use case may need.
  [
    'commit.ts',
    'new-id.ts',
    'fresh-id.ts',
    'placement.ts',
    'newest-first.ts',
    'newest-page.ts',
    'pauses.ts',
    'refusal.ts',
    'rate-limits.ts',
    'shared-questions.ts',
    'listing-prices.ts',
    'journal-tree.ts',
    'record-owners.ts',
    'venues.ts',
  ],
  ['audit.ts', 'idempotency.ts', 'lookups.ts'],
  ['markets.ts', 'books', 'api-keys', 'tokens'],
  ['markets-by-end.ts'],
  [
    'market-search.ts',
    'missed-events.ts',
    'orders',
    'portfolio',
    'transactions',
    'notifications',
    'sign-in',
    'user-limits.ts',
  ],
  // What an agent places by, how its receipts are kept; what reads or moves by what lies above.
  ['position-closer.ts', 'confirmations', 'execution', 'history', 'wallets', 'keys', 'web3'],
  ['launches'],
  ['registry'],
  ['swaps'],
  ['funding'],
  ['sync', 'funds.ts', 'transfers-under-way.ts'],
  ['recovery.ts', 'adoption'],
  ['trading.ts'],
  // Trading once more, over books and an exchange of its own.
  ['paper'],
  ['forget-users.ts'],
  ['farming'],
  ['agents'],
  ['profile-removal.ts'],
];

/** What is one venue's, and the tables that name it once each. */
const VENUE_FOLDER = /^src\/venues\/venue-[a-d]\//;
const VENUE_TABLES = /^src\/(venues\/table|web\/api\/routes)\.ts /;

/** The parts of `src/services`, each with its layer. */
const SERVICE_PARTS = new Map(
  SERVICE_LAYERS.flatMap((parts, layer) => parts.map((part) => [part, { part, layer }] as const)),
);

function servicePartOf(path: string) {
  const name = /^src\/services\/([^/]+)/.exec(path)?.[1];
  return name === undefined ? null : (SERVICE_PARTS.get(name) ?? { part: name, layer: -1 });
}

function roomOf(path: string): (typeof RULES)[number] | undefined {
  return RULES.filter(({ folder }) => path === folder || path.startsWith(`${folder}/`)).sort(
    (a, b) => b.folder.length - a.folder.length,
  )[0];
}

function isAllowed(from: string, specifier: string): boolean {
  const rule = roomOf(from);
  if (rule === undefined) return false;
  if (!specifier.startsWith('.')) return rule.may.includes('*') || rule.may.includes(specifier);
  const target = normalize(join(dirname(from), specifier));
  if (SANDBOX_LIMITS.includes(target) && rule.may.includes('config/limits'))
    return rule.may.includes(target);
  return rule.may.some((allowed) => target === allowed || target.startsWith(`${allowed}/`));
}

describe('import direction', () => {
  const files = sourceFiles(['src', 'machines', 'streams', 'config']);

  it('points inwards in every file', () => {
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => !isAllowed(file.path, specifier))
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  it('points downwards between the parts of the services, each of which has its layer', () => {
    const broken = files.flatMap((file) => {
      const from = servicePartOf(file.path);
      if (from === null) return [];
      const upwards = importsOf(file).filter((specifier) => {
        const to = specifier.startsWith('.')
          ? servicePartOf(normalize(join(dirname(file.path), specifier)))
          : null;
        return to !== null && to.part !== from.part && to.layer >= from.layer;
      });
      return from.layer === -1
        ? [`${file.path} has no layer`]
        : upwards.map((specifier) => `${file.path} imports ${specifier}`);
    });
    expect(broken).toEqual([]);
  });

  it('enters the folder of a venue by its row in the table only', () => {
    const entered = files.flatMap((file) =>
      importsOf(file).flatMap((specifier) => {
        const target = specifier.startsWith('.')
          ? normalize(join(dirname(file.path), specifier))
          : '';
        const folder = VENUE_FOLDER.exec(target)?.[0];
        return folder === undefined || file.path.startsWith(folder)
          ? []
          : [`${file.path} imports ${target}`];
      }),
    );
    expect(entered.filter((entry) => !VENUE_TABLES.test(entry))).toEqual([]);
  });

  it('ends every relative import in .ts, in .json where it is data, and in .css where it is a style of a page', () => {
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.') && !/\.(tsx?|json|css)$/.test(specifier))
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  it('lets only src/http/listener/uws-listener.ts import the server', () => {
    const importers = files
      .filter((file) => importsOf(file).includes('uWebSockets.js'))
      .map((file) => file.path);
    expect(importers.filter((path) => path !== 'src/http/listener/uws-listener.ts')).toEqual([]);
  });

  it('reads the environment in config/schema.ts only', () => {
    expect(files.filter((file) => /process\.env/.test(file.text)).map((file) => file.path)).toEqual(
      // the bridge is a program of its own, and takes one value
      ['config/schema.ts', 'src/mcp/bridge/main.ts'],
    );
  });

  it('keeps files at 400 lines of code or less, comments apart', () => {
    const isCode = (line: string) => !/^\s*(\/\/|\/?\*)/.test(line);
    expect(
      files
        .filter((file) => file.text.split('\n').filter(isCode).length > 401)
        .map((file) => file.path),
    ).toEqual([]);
  });
});
