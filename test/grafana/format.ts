/** How Grafana writes a figure of a unit, near enough for a picture. */
export function formatOf(unit: string): (value: number) => string {
  return FORMATS[unit] ?? ((value) => short(value));
}

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  s: seconds,
  percentunit: (value) => `${short(value * 100)} %`,
  bytes: (value) => scaled(value, 1_024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']),
  currencyUSD: (value) => `$${short(value)}`,
  opm: (value) => `${short(value)}/min`,
  reqps: (value) => `${short(value)}/s`,
  dateTimeAsIsoNoDateIfToday: (value) => new Date(value).toISOString().slice(11, 19),
  short: (value) => scaled(value, 1_000, ['', 'K', 'M', 'G']),
};

function seconds(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0 s';
  if (size < 0.001) return `${short(value * 1e6)} µs`;
  if (size < 1) return `${short(value * 1_000)} ms`;
  if (size < 120) return `${short(value)} s`;
  return size < 7_200 ? `${short(value / 60)} min` : `${short(value / 3_600)} h`;
}

function scaled(value: number, base: number, names: readonly string[]): string {
  let [size, step] = [value, 0];
  while (Math.abs(size) >= base && step < names.length - 1) {
    size /= base;
    step += 1;
  }
  return `${short(size)} ${names[step] ?? ''}`.trim();
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
