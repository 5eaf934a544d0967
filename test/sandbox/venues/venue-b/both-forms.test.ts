import { behindServers, sameInBothForms, withinProcess } from './in-both-forms.ts';

sameInBothForms('behind its servers', behindServers);
sameInBothForms('within the process', withinProcess);
