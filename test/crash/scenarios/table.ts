import type { CrashScenario } from './scenario.ts';

/** A file of scenarios. */
export type ScenarioFile = keyof typeof FILES;

/** A scenario and the file it is in. */
export interface ListedScenario {
  readonly file: ScenarioFile;
  readonly scenario: CrashScenario;
}

/**
 * Each file's scenarios, loaded when they are asked for: a process that is to be killed soon loads
 * no more than it lives.
 */
const FILES = {
  orders: async () => (await import('./orders.ts')).ORDER_SCENARIOS,
  fills: async () => (await import('./fills.ts')).FILL_SCENARIOS,
  settlement: async () => (await import('./settlement.ts')).SETTLEMENT_SCENARIOS,
  agents: async () => (await import('./agents.ts')).AGENTS_SCENARIOS,
  farming: async () => (await import('./farming.ts')).FARM_SCENARIOS,
  notifications: async () => (await import('./notifications.ts')).NOTIFICATION_SCENARIOS,
  people: async () => (await import('./people.ts')).PEOPLE_SCENARIOS,
  money: async () => (await import('./money.ts')).MONEY_SCENARIOS,
  contracts: async () => (await import('./contracts.ts')).CONTRACT_SCENARIOS,
  launches: async () => (await import('./launches.ts')).LAUNCH_SCENARIOS,
} satisfies Record<string, () => Promise<readonly CrashScenario[]>>;

/** Every scenario that is cut at each of its durable writes. */
export async function allScenarios(): Promise<readonly ListedScenario[]> {
  // The keys of FILES are its files.
  const files = Object.keys(FILES) as ScenarioFile[];
  return (
    await Promise.all(
      files.map(async (file) => (await FILES[file]()).map((scenario) => ({ file, scenario }))),
    )
  ).flat();
}

/** The scenario of this name in a file. Throws without it. */
export async function scenarioIn(file: ScenarioFile, name: string): Promise<CrashScenario> {
  const found = (await FILES[file]()).find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario of ${file} is called ${name}`);
  return found;
}
