import { FlagmeterError, amountOf } from '#base/runtime';
import type { SearchedName } from '../../../admin/advice/code-references/index.ts';
import type { Verdicts } from '../../../admin/advice/verdicts/index.ts';
import { type AdminApi, call } from '../../admin-api.ts';
import type { CodePlace } from '../scan/search/place.ts';
import { REASONS, type Reason } from './reasons.ts';

/** Why a call of a name is reported. */
export type Finding = {
  readonly reason: Reason;
  /** Undefined if the reason holds in all environments. */
  readonly environment: string | undefined;
  /** One sentence. */
  readonly explanation: string;
};

/** The names of features, and whether each one is archived. */
export type Features = ReadonlyMap<string, { readonly isArchived: boolean }>;

export function featuresOf(names: readonly SearchedName[]): Features {
  const ofFeatures = names.filter(({ state }) => state !== 'unknown');
  return new Map(ofFeatures.map(({ name, state }) => [name, { isArchived: state === 'archived' }]));
}

type Within = { readonly features: Features; readonly environment: string | undefined };

/** Each name is one request. */
const MAX_NAMES = 1000;

/** The findings on each name that the places have. It asks for one name after the other, because the server would answer no faster. */
export async function findingsOn(
  api: AdminApi,
  places: readonly CodePlace[],
  { features, environment }: Within,
): Promise<Map<string, Finding[]>> {
  const names = new Set(places.map(({ name }) => name));
  if (names.size > MAX_NAMES)
    throw new FlagmeterError(
      'usage',
      `the files call ${amountOf(names.size, 'name')}, and ${MAX_NAMES} can be examined: list fewer files`,
    );
  const findings = new Map<string, Finding[]>();
  for (const name of names) {
    const verdicts = await readVerdicts(api, name, environment);
    findings.set(name, findingsOf(features.get(name), verdicts));
  }
  return findings;
}

type NamedVerdict = Pick<Verdicts['verdicts'][number], 'verdict' | 'environment' | 'sentence'>;

async function readVerdicts(
  api: AdminApi,
  feature: string,
  environment: string | undefined,
): Promise<readonly NamedVerdict[]> {
  const query = new URLSearchParams({
    feature,
    limit: '1000',
    ...(environment === undefined ? {} : { environment }),
  });
  const request = { path: `/api/admin/metrics/verdicts?${query.toString()}` };
  const { verdicts } = (await call(api, request)) as Verdicts; // our own API
  return verdicts;
}

/** A verdict explains an unknown name better, because it may know which name is meant. */
export function findingsOf(
  feature: { readonly isArchived: boolean } | undefined,
  verdicts: readonly NamedVerdict[],
): Finding[] {
  const sentenceOf = (verdict: string) => verdicts.find((one) => one.verdict === verdict)?.sentence;
  if (feature === undefined) {
    const explanation = sentenceOf('unknown') ?? 'No feature has this name.';
    return [{ reason: 'unknown', environment: undefined, explanation }];
  }
  if (feature.isArchived) {
    const explanation = sentenceOf('called_while_archived') ?? 'Remove the call, or revive the feature.';
    return [{ reason: 'archived', environment: undefined, explanation }];
  }
  return verdicts.flatMap(({ verdict, environment, sentence }) => {
    const reason = REASONS.find((one) => one === verdict.replaceAll('_', '-'));
    return reason === undefined ? [] : [{ reason, environment, explanation: sentence }];
  });
}
