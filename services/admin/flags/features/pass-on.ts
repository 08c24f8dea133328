import { HttpProblem } from '#base/http';
import type { Caller } from '#base/tokens';
import {
  type ChangeResult,
  type FeatureChange,
  type FeatureChanger,
  UnleashError,
  uidOfEvent,
} from '#unleash/client';
import { Denial, notFound, ownedByUnleash } from '../../denial.ts';
import type { Features } from './store.ts';

export type PassOnChange = Omit<FeatureChange, 'project'> & {
  readonly caller: Caller;
  /** Why flagmeter itself asks for it. */
  readonly because?: object;
};

/** Makes a change in Unleash, for a feature that Unleash owns. Throws a problem unless Unleash confirms the change. */
export type PassOn = (change: PassOnChange) => Promise<void>;

/** `changeFeature` is undefined without UNLEASH_ADMIN_TOKEN. */
export function createPassOn(features: Features, changeFeature: FeatureChanger | undefined): PassOn {
  return async ({ caller, because, ...change }) => {
    if (changeFeature === undefined) throw ownedByUnleash('this feature');
    const project = await features.projectOf(change.name);
    if (project === undefined) throw notFound('There is no such feature.');
    const result = await asked(() => changeFeature({ ...change, project }));
    if (result.outcome === 'unknown feature') throw notFound('Unleash has no such feature or environment.');
    if (result.outcome === 'rejected')
      throw new Denial('RejectedByUnleash', `Unleash rejected this: ${result.reason}`);
    const { event } = result;
    await features.recordPassedOn({
      feature: change.name,
      state: change.state,
      caller,
      because,
      event: event && {
        uid: uidOfEvent(event),
        type: event.type,
        createdAt: event.createdAt,
        project: event.project ?? null,
        environment: event.environment ?? null,
      },
    });
  };
}

async function asked(ask: () => Promise<ChangeResult>): Promise<ChangeResult> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof UnleashError)) throw cause;
    const message =
      cause.code === 'unleash-unreached'
        ? 'Unleash did not answer, so that the outcome is unknown. Look at the feature, then try again.'
        : 'Unleash could not do it at the moment. Try again in a few seconds.';
    throw new HttpProblem(503, message, { headers: { 'Retry-After': '5' }, cause });
  }
}
