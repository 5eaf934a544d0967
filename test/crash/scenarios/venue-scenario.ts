import { scenario, type CrashScenario, type Step } from './scenario.ts';
import {
  openVenueStage,
  type VenueLife,
  type VenueStage,
  type VenueStageOptions,
} from './venue-stage.ts';
import { stepsOn, type VenueSteps } from './venue-steps.ts';

/** What happens in a scenario at the venue. */
export type VenuePlot = (steps: VenueSteps, stage: VenueStage) => readonly Step<VenueLife>[];

/** Gives what makes scenarios of a family that play at the venue. */
export function venueScenario(
  family: string,
): (name: string, plot: VenuePlot, options?: VenueStageOptions) => CrashScenario {
  return (name, plot, options = {}) =>
    scenario<VenueLife, VenueStage>(name, {
      family,
      takesOver: true,
      open: () => openVenueStage(options),
      steps: (stage) => plot(stepsOn(stage), stage),
    });
}
