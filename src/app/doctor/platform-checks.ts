import { createRequire } from 'node:module';
import { release } from 'node:os';
import { MACHINE } from '../../../config/limits/doctor.ts';
import { curve } from '../../adapters/wire/secp256k1.ts';
import { createUwsListener } from '../../http/listener/uws-listener.ts';
import { check, fail, ok, skipped, warn, type Check } from './check.ts';

/** What the program runs on. */
export interface PlatformFacts {
  /** Such as `v20.20.2`. */
  readonly node: string;
  /** Majors with their least minor, as `engines` writes them: `^20.12.0 || ^22.0.0`. */
  readonly engines: string;
  /** Such as `linux-x64`. */
  readonly platform: string;
  readonly kernel: string;
  /** Null where the system has none: macOS, or musl. */
  readonly glibc: string | null;
  /**
   * Loads a native package; rejects where it does not load, gives false where another build
   * takes its place.
   */
  readonly addons: Readonly<
    Record<'lmdb' | 'secp256k1' | 'uWebSockets.js', () => Promise<boolean>>
  >;
}

/** Reads them from this process; `engines` are those of the package. */
export function platformFacts(engines: string): PlatformFacts {
  return {
    node: process.version,
    engines,
    platform: `${process.platform}-${process.arch}`,
    kernel: release(),
    glibc: glibcVersion(),
    addons: {
      async lmdb() {
        createRequire(import.meta.url)('lmdb');
        return true;
      },
      secp256k1: async () => curve.kind === 'native',
      async 'uWebSockets.js'() {
        const listener = await createUwsListener();
        listener?.close();
        return listener !== null;
      },
    },
  };
}

const REINSTALL = 'install predictd anew on this machine, as config/README.md says of platforms';

/** Checks of Node, the system and native packages. */
export function platformChecks(facts: PlatformFacts): readonly Check[] {
  return [
    check('node', { level: 'fail', remedy: REINSTALL }, async () =>
      isInRange(facts.node, facts.engines)
        ? ok(`${facts.node} is one that this version runs on (${facts.engines})`)
        : fail(
            `${facts.node} is not in ${facts.engines}`,
            'start predictd with one of those versions of Node',
          ),
    ),
    check('platform', { level: 'fail', remedy: REINSTALL }, async () => platformFinding(facts)),
    ...Object.entries(facts.addons).map(([name, loads]) =>
      check(`addon ${name}`, { level: 'fail', remedy: REINSTALL }, async () => {
        if (await loads()) return ok('its native build loads');
        return name === 'uWebSockets.js'
          ? skipped('no native build loads here; the server of Node.js takes its place')
          : warn(
              'no native build loads here; a slower one in WebAssembly takes its place',
              REINSTALL,
            );
      }),
    ),
  ];
}

function platformFinding({ platform, kernel, glibc }: PlatformFacts) {
  const name = `${platform}, kernel ${kernel}`;
  if (!/^(linux|darwin)-(x64|arm64)$/.test(platform))
    return fail(`${name} is not served`, 'use Linux or macOS on x64 or arm64; Windows through WSL');
  if (platform.startsWith('darwin')) return ok(name);
  if (glibc === null)
    return warn(
      `${name} has no glibc, for which the native packages are built`,
      'use a system with glibc, such as Debian',
    );
  return isAtLeast(glibc, MACHINE.glibcLeast)
    ? ok(`${name}, glibc ${glibc}`)
    : fail(
        `${name} has glibc ${glibc}, and the native packages want ${MACHINE.glibcLeast}`,
        'use a newer system',
      );
}

/** Reports whether a version lies in a range of carets with `||` between them. */
function isInRange(version: string, range: string): boolean {
  const plain = version.replace(/^v/, '');
  return range.split('||').some((part) => {
    const least = part.trim().replace(/^\^/, '');
    return plain.split('.')[0] === least.split('.')[0] && isAtLeast(plain, least);
  });
}

/** Compares versions part by part. */
function isAtLeast(version: string, least: string): boolean {
  const have = version.split('.').map(Number);
  const want = least.split('.').map(Number);
  for (const [index, part] of want.entries()) {
    const other = have[index] ?? 0;
    if (other !== part) return other > part;
  }
  return true;
}

/** The version of glibc that the process runs with; null without one. */
function glibcVersion(): string | null {
  const { report } = process;
  // Node 22 and later: without it names of all peers are looked up.
  Object.assign(report, { excludeNetwork: true });
  const header: unknown = Reflect.get(report.getReport(), 'header');
  const version: unknown =
    typeof header === 'object' && header !== null
      ? Reflect.get(header, 'glibcVersionRuntime')
      : null;
  return typeof version === 'string' ? version : null;
}
