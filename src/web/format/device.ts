const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];
const PROGRAM_MAXIMUM_CHARS = 40;

/**
 * Writes what a device called itself (`User-Agent`) as people know it: `Firefox on Windows`.
 * Programs that are no browser keep their own first word; null is a device that said nothing.
 */
export function deviceName(program: string | null): string {
  if (program === null || program.trim() === '') return 'A device without a name';
  const nameOf = (list: typeof BROWSERS) => list.find(([mark]) => mark.test(program))?.[1];
  const browser = nameOf(BROWSERS);
  const system = nameOf(SYSTEMS);
  if (browser === undefined)
    return (program.split(' ')[0] ?? program).slice(0, PROGRAM_MAXIMUM_CHARS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
