import {
  type AggregateOptions,
  type AggregatedBatch,
  StepLength,
  type Steps,
  createAcceptance,
} from '#core/counting';
import { applicationsOf } from './reading/index.ts';
import { tooManyNames } from '../bodies/message-length.ts';

type Found = Parameters<typeof applicationsOf>[0];
type Options = AggregateOptions & { readonly scope: Parameters<typeof applicationsOf>[1] };

/**
 * Accepts the applications of a body. All projects of a token belong to each of them, so a short body may make a very long message:
 * as soon as that is sure to be longer than `maxBytes`, it throws a 413.
 */
export function* registerResources(
  found: Found,
  options: Options,
  maxBytes: number,
): Steps<Pick<AggregatedBatch, 'applications' | 'refusals'>> {
  const { accepts, refusals } = createAcceptance(options);
  const ofProjects = JSON.stringify(options.scope.projects).length;
  const length = new StepLength();
  const applications: AggregatedBatch['applications'][number][] = [];
  let bytes = 0;
  let index = -1;
  for (const application of applicationsOf(found, options.scope)) {
    if (length.isDone(1 + options.scope.projects.length)) yield;
    index += 1;
    // Those of refused ones count, too: an application is compared with all projects of its token.
    bytes += ofProjects;
    if (bytes > maxBytes) throw tooManyNames();
    if (!accepts(application, index)) continue;
    applications.push(application);
    bytes += application.appName.length + (application.instanceId?.length ?? 0);
  }
  return { applications, refusals: refusals() };
}
